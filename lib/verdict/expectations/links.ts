import type { FoundAt } from '../verdict'
import type { Boards } from './answer'

/** Where a board shows it: an event by its id, a span in its trace, else the envelope that brought it. */
export function pathOf({ seq, eventId, traceId, spanId }: FoundAt): string {
  if (eventId) return `/events/${encodeURIComponent(eventId)}`
  if (!traceId) return `/envelopes/${seq}`
  const trace = `/traces/${encodeURIComponent(traceId)}`
  return spanId ? `${trace}?span=${encodeURIComponent(spanId)}` : trace
}

/** The whole address of what was found; `null` where nobody serves the boards, or there is nothing to open. */
export const linkTo = (at: FoundAt | null, { appUrl }: Boards): string | null =>
  at === null || appUrl === null ? null : `${appUrl.replace(/\/+$/, '')}${pathOf(at)}`

/** Where it was found, for a person without boards to open: `envelope 12, item 0`. Item -1 is the envelope's own header. */
export const placeOf = ({ seq, item }: FoundAt): string =>
  item < 0 ? `envelope ${seq}, its header` : `envelope ${seq}, item ${item}`
