'use client'

import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let timer: number | null = null

/** The time, to the second, for ages and running clocks; one timer for the whole page. 0 before the page is alive. */
export function useNow(): number {
  return useSyncExternalStore(
    follow,
    () => Math.floor(Date.now() / 1000) * 1000,
    () => 0,
  )
}

function follow(changed: () => void): () => void {
  listeners.add(changed)
  timer ??= window.setInterval(() => {
    for (const listener of listeners) listener()
  }, 1000)
  return () => {
    listeners.delete(changed)
    if (listeners.size > 0 || timer === null) return
    window.clearInterval(timer)
    timer = null
  }
}
