'use client'

import { useSyncExternalStore } from 'react'
import { formatAge, formatDateTime, formatShortSecond, formatShortTime } from './times'

/** A running age; the title shows the time itself. */
export function Age({ atMs, ago = false }: { readonly atMs: number; readonly ago?: boolean }) {
  // Rounded up, so that a new arrival is never in the future. Renders again only when the text changes.
  const text = useSyncExternalStore(
    follow,
    () => formatAge(atMs, wholeSecond() + 999),
    () => formatAge(atMs, 999),
  )
  return (
    <time className="num" dateTime={isoOf(atMs)} title={formatDateTime(atMs)}>
      {ago && text !== 'now' ? `${text} ago` : text}
    </time>
  )
}

const isoOf = (atMs: number): string | undefined =>
  Number.isFinite(atMs) && Math.abs(atMs) <= 8.64e15 ? new Date(atMs).toISOString() : undefined

/** Whether a time is less than this ago. Renders again only when that changes. */
export const useIsRecent = (atMs: number, withinMs: number): boolean =>
  useSyncExternalStore(
    follow,
    () => Math.abs(Date.now() - atMs) < withinMs,
    () => false,
  )

const listeners = new Set<() => void>()
let timer: number | null = null

/** The current time in whole seconds, in ms. One timer serves the whole page. 0 before hydration. */
export function useNow(): number {
  return useSyncExternalStore(follow, wholeSecond, () => 0)
}

const wholeSecond = (): number => Math.floor(Date.now() / 1000) * 1000

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

export function ShortTime({ atMs }: { readonly atMs: number }) {
  return (
    <span className="num" title={formatDateTime(atMs)}>
      {formatShortTime(atMs, useNow())}
    </span>
  )
}

/** The same to the second, for a column of times. */
export function ShortSecond({ atMs }: { readonly atMs: number }) {
  return <time dateTime={isoOf(atMs)}>{formatShortSecond(atMs, useNow())}</time>
}
