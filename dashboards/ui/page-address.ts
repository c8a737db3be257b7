import { useCallback, useSyncExternalStore } from 'react'

/** Browsers refuse more than about three history changes a second over half a minute: a held arrow key makes thirty. */
const WRITE_AFTER_MS = 200

/** `null` takes a parameter away, as an empty text does. */
export type SearchChanges = Readonly<Record<string, string | null>>

const listeners = new Set<() => void>()
/** Said, but not in the address yet. */
const unwritten = new Map<string, string | null>()
let timer: number | null = null

/** The query of the page's address, with what was said and is not written yet. */
const currentSearch = (): string => withChanges(window.location.search).toString()

/**
 * Says other parameters, all at once.
 * @param how `soon`: the address follows within a blink, and a step back leaves the page; `step`: a step back undoes it.
 * @returns whether they are others than they were.
 */
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

/** Calls when the query may have become another. Returns what ends it. */
function followSearch(changed: () => void): () => void {
  const moved = (): void => {
    unwritten.clear()
    changed()
  }
  const leave = (): void => writeAddress('replaceState')
  listeners.add(changed)
  window.addEventListener('popstate', moved)
  window.addEventListener('pagehide', leave)
  return () => {
    listeners.delete(changed)
    window.removeEventListener('popstate', moved)
    window.removeEventListener('pagehide', leave)
  }
}

function writeAddress(by: 'pushState' | 'replaceState'): void {
  if (timer !== null) window.clearTimeout(timer)
  timer = null
  const url = new URL(window.location.href)
  url.search = withChanges(url.search).toString()
  unwritten.clear()
  // The router's own state must survive, or it reloads the page on the next step back.
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

/** The place in a list belongs to the entry that was left, not to the one that follows it. */
const stateFor = (by: 'pushState' | 'replaceState'): unknown =>
  by === 'pushState' ? withoutReturnPoint(window.history.state) : window.history.state

/** One parameter of the page's address as state: `null` when it is not there, and on the server. */
export function useSearchParam(name: string): readonly [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(
    followSearch,
    () => new URLSearchParams(currentSearch()).get(name),
    () => null,
  )
  const write = useCallback((next: string | null) => changeSearch({ [name]: next }, 'soon'), [name])
  return [value, write]
}

/** The whole query of the page's address; `null` before the page is alive, when nobody knows it. */
export const useSearch = (): string | null => useSyncExternalStore(followSearch, currentSearch, () => null)

/** Where a reader left a list: the row that was opened, and how far the list was loaded. */
export interface ReturnPoint {
  readonly href: string
  readonly rows: number
}

/** Under this name in the state of the list's own history entry: a second tab, or the same list further on, has another. */
const NAME = 'waystationRow'

/** The state of a history entry with the place in it. The router's own part must survive, or a step back reloads the page. */
export function withReturnPoint(state: unknown, point: ReturnPoint): object {
  return { ...(typeof state === 'object' ? state : {}), [NAME]: point }
}

/** The state of the entry that follows: all but the place. */
export function withoutReturnPoint(state: unknown): unknown {
  if (typeof state !== 'object' || state === null) return state
  return Object.fromEntries(Object.entries(state).filter(([name]) => name !== NAME))
}

/** The place that a history entry's state names; `null` when none does. */
export function returnPointOf(state: unknown): ReturnPoint | null {
  if (typeof state !== 'object' || state === null) return null
  const point: unknown = Object.entries(state).find(([name]) => name === NAME)?.[1]
  if (typeof point !== 'object' || point === null || !('href' in point) || !('rows' in point)) return null
  const { href, rows } = point
  return typeof href === 'string' && typeof rows === 'number' ? { href, rows } : null
}
