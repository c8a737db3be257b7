import type { TraceDetail } from '../../lib/wire/trace'

/** The trace read before, when reading again told nothing new: what is painted from it stays as it is. */
export function keepUnchanged(before: TraceDetail | null, now: TraceDetail): TraceDetail {
  return before !== null && signature(before) === signature(now) ? before : now
}

/** Whatever can change of a trace: more submissions, and what became of the ones that are here. */
function signature(trace: TraceDetail): string {
  const { summary, segments, spans, errors, breadcrumbs, truncated } = trace
  return JSON.stringify([
    summary.traceId,
    summary.lastSeq,
    summary.copy,
    summary.deliveryStatus,
    spans.length,
    breadcrumbs.length,
    truncated,
    segments.map((segment) => [segment.segmentId, segment.deliveryStatus, segment.relayedAt, segment.copy]),
    errors.map((error) => [error.eventId, error.deliveryStatus, error.copy]),
  ])
}
