'use client'

import { useCallback, useSyncExternalStore } from 'react'
import { onLeave, onMove } from './navigation'

/** Browsers refuse more than about three history changes a second over half a minute; a held arrow key makes thirty. */
const WRITE_AFTER_MS = 200

/** `null` and empty text remove a parameter. */
type SearchChanges = Readonly<Record<string, string | null>>

const listeners = new Set<() => void>()
/** Changes that are not in the address yet. */
const unwritten = new Map<string, string | null>()
let timer: number | null = null

/** The query of the page's address with changes that are not in it yet. */
export const currentSearch = (): string => withChanges(window.location.search).toString()

/** Changes parameters; `step` adds a history entry, `soon` replaces it later. Returns whether the query changed. */
export function changeSearch(changes: SearchChanges, how: 'soon' | 'step'): boolean {
  const before = currentSearch()
  if (how === 'step') writeAddress('replaceState')
  for (const [name, value] of Object.entries(changes)) unwritten.set(name, value === '' ? null : value)
  if (currentSearch() === before) return false
  if (how === 'step') writeAddress('pushState')
  else timer ??= window.setTimeout(() => writeAddress('replaceState'), WRITE_AFTER_MS)
  for (const listener of listeners) listener()
  return true
}

/** Calls back when the query may have changed. Returns a function that stops it. */
function followSearch(changed: () => void): () => void {
  const moved = (): void => {
    unwritten.clear()
    changed()
  }
  const leave = (): void => writeAddress('replaceState')
  listeners.add(changed)
  const stopMove = onMove(moved)
  const stopLeave = onLeave(leave)
  window.addEventListener('pagehide', leave)
  return () => {
    listeners.delete(changed)
    stopMove()
    stopLeave()
    window.removeEventListener('pagehide', leave)
  }
}

function writeAddress(by: 'pushState' | 'replaceState'): void {
  if (timer !== null) window.clearTimeout(timer)
  timer = null
  const url = new URL(window.location.href)
  url.search = withChanges(url.search).toString()
  unwritten.clear()
  // Keep the router's own state: without it, the router reloads the page on Back.
  if (url.href !== window.location.href) window.history[by](stateFor(by), '', url)
}

function withChanges(search: string): URLSearchParams {
  const params = new URLSearchParams(search)
  for (const [name, value] of unwritten) {
    if (value === null) params.delete(name)
    else params.set(name, value)
  }
  return params
}

/** The return point belongs to the entry that is left, not to the next one. */
const stateFor = (by: 'pushState' | 'replaceState'): unknown =>
  by === 'pushState' ? withoutReturnPoint(window.history.state) : window.history.state

/** One parameter of the page's address as state; `null` when it is absent, and on the server. */
export function useSearchParam(name: string): readonly [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(
    followSearch,
    () => new URLSearchParams(currentSearch()).get(name),
    () => null,
  )
  const write = useCallback((next: string | null) => changeSearch({ [name]: next }, 'soon'), [name])
  return [value, write]
}

/** The query of the page's address; `null` before hydration. */
export const useSearch = (): string | null => useSyncExternalStore(followSearch, currentSearch, () => null)

/** The row that was opened from a list, and how many rows were loaded. */
interface ReturnPoint {
  readonly href: string
  readonly rows: number
}

/** The key in the state of the list's history entry. Each entry has its own return point. */
const NAME = 'waystationRow'

/** Adds a return point to the state of a history entry and keeps the router's part. */
export function withReturnPoint(state: unknown, point: ReturnPoint): object {
  return { ...(typeof state === 'object' ? state : {}), [NAME]: point }
}

export function withoutReturnPoint(state: unknown): unknown {
  if (typeof state !== 'object' || state === null) return state
  return Object.fromEntries(Object.entries(state).filter(([name]) => name !== NAME))
}

export function returnPointOf(state: unknown): ReturnPoint | null {
  if (typeof state !== 'object' || state === null) return null
  const point: unknown = Object.entries(state).find(([name]) => name === NAME)?.[1]
  if (typeof point !== 'object' || point === null || !('href' in point) || !('rows' in point)) return null
  const { href, rows } = point
  return typeof href === 'string' && typeof rows === 'number' ? { href, rows } : null
}
