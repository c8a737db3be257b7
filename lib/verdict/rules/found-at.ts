import type { SeenEvent, SeenItem, SeenSegment, SeenSpan } from '../evidence/evidence'
import type { FoundAt } from '../verdict'

export const atEvent = ({ seq, item, traceId, eventId }: SeenEvent): FoundAt => ({ seq, item, traceId, eventId })

/** Of what is no error event the id names nothing that a board opens: a transaction is found by its trace. */
export const atItem = ({ seq, item, type, traceId, eventId }: SeenItem): FoundAt => ({
  seq,
  item,
  traceId,
  eventId: type === 'event' ? eventId : null,
})

export const atSegment = ({ seq, item, traceId, segmentId }: SeenSegment): FoundAt => ({
  seq,
  item,
  traceId,
  spanId: segmentId,
})

export const atSpan = ({ seq, item, traceId, spanId }: SeenSpan): FoundAt => ({ seq, item, traceId, spanId })
