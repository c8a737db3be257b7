'use client'

import { useCallback, useSyncExternalStore } from 'react'

/** Browsers refuse more than about three history changes a second over half a minute: a held arrow key makes thirty. */
const WRITE_AFTER_MS = 200

const listeners = new Set<() => void>()
/** Said, but not in the address yet. */
const unwritten = new Map<string, string | null>()
let timer: number | null = null

/** One parameter of the page's address as state: `null` when it is not there, and on the server. */
export function useSearchParam(name: string): readonly [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(
    followAddress,
    () => unwritten.get(name) ?? (unwritten.has(name) ? null : new URLSearchParams(window.location.search).get(name)),
    () => null,
  )
  const write = useCallback(
    (next: string | null) => {
      unwritten.set(name, next === '' ? null : next)
      for (const listener of listeners) listener()
      timer ??= window.setTimeout(writeAddress, WRITE_AFTER_MS)
    },
    [name],
  )
  return [value, write]
}

function writeAddress(): void {
  if (timer !== null) window.clearTimeout(timer)
  timer = null
  const url = new URL(window.location.href)
  for (const [name, value] of unwritten) {
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  unwritten.clear()
  // The router's own state must survive, or it reloads the page on the next step back.
  if (url.href !== window.location.href) window.history.replaceState(window.history.state, '', url)
}

function followAddress(changed: () => void): () => void {
  const moved = (): void => {
    unwritten.clear()
    changed()
  }
  listeners.add(changed)
  window.addEventListener('popstate', moved)
  window.addEventListener('pagehide', writeAddress)
  return () => {
    listeners.delete(changed)
    window.removeEventListener('popstate', moved)
    window.removeEventListener('pagehide', writeAddress)
  }
}
