import type { LeavesOut } from './leave-out'
import { filterOutgoing } from './outgoing-filter'
import type { RecordDrop, Transport } from './sdk'

/** Dropped segments remembered, so that what belongs to one and comes later goes the same way. */
export const REMEMBERED_SEGMENTS = 500

/**
 * Wraps an SDK's transport: what is left out does not go out.
 * @param recordDrop the SDK's own, whose next client report then accounts for it.
 */
export function filteringTransport(inner: Transport, leavesOut: LeavesOut, recordDrop: RecordDrop): Transport {
  const remembered = new Set<string>()
  return {
    flush: (timeout) => inner.flush(timeout),
    send: (envelope) => {
      const filtered = filterOutgoing(envelope, { leavesOut, isKnown: (segment) => remembered.has(segment) })
      for (const segment of filtered.segments) remember(remembered, segment)
      for (const { category, quantity } of filtered.dropped) recordDrop('ignored', category, quantity)
      return filtered.envelope === null ? Promise.resolve({}) : inner.send(filtered.envelope)
    },
  }
}

function remember(segments: Set<string>, segment: string): void {
  segments.add(segment)
  const oldest = segments.values().next()
  if (segments.size > REMEMBERED_SEGMENTS && !oldest.done) segments.delete(oldest.value)
}
