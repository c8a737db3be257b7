/** What scrolled by longer ago nobody types from memory. */
const MOST_TRACES = 1000

/**
 * With these: what is typed narrows a list at once, and the row that an id was read from is gone before it is whole.
 * The same array where nothing is new.
 */
export function addTraces(seen: readonly string[], traceIds: readonly (string | null)[]): readonly string[] {
  const known = new Set(seen)
  const fresh = new Set(traceIds.flatMap((id) => (id === null || known.has(id) ? [] : [id])))
  return fresh.size === 0 ? seen : [...seen, ...fresh].slice(-MOST_TRACES)
}
