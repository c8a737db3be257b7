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
