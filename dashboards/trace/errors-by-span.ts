import type { EventSummary } from '../../lib/wire/event'

/** The errors that name a span, by it. An error outside an active span names one that does not exist: it is on the axis alone. */
export function errorsBySpan(errors: readonly EventSummary[]): ReadonlyMap<string, readonly EventSummary[]> {
  const found = new Map<string, EventSummary[]>()
  for (const error of errors) {
    if (error.spanId === null) continue
    const list = found.get(error.spanId)
    if (list === undefined) found.set(error.spanId, [error])
    else list.push(error)
  }
  return found
}
