'use client'

import { useSyncExternalStore } from 'react'
import { formatAge, formatDateTime, formatShortTime } from './times'

/** How long ago, counting on; the moment itself in the title. */
export function Age({ atMs, ago = false }: { readonly atMs: number; readonly ago?: boolean }) {
  // Rounded up, so that what has just arrived is never in the future.
  const text = formatAge(atMs, useNow() + 999)
  return (
    <time className="num" dateTime={isoOf(atMs)} title={formatDateTime(atMs)}>
      {ago && text !== 'now' ? `${text} ago` : text}
    </time>
  )
}

const isoOf = (atMs: number): string | undefined =>
  Number.isFinite(atMs) && Math.abs(atMs) <= 8.64e15 ? new Date(atMs).toISOString() : undefined

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

/** A moment for a column; the whole of it in the title. */
export function ShortTime({ atMs }: { readonly atMs: number }) {
  return (
    <span className="num" title={formatDateTime(atMs)}>
      {formatShortTime(atMs, useNow())}
    </span>
  )
}
