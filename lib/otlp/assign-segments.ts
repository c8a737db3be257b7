import type { SegmentSpan } from '../protocol/trace/segment'

/**
 * Finds the segments of OpenTelemetry spans by their ancestors, because OTLP does not name them.
 * @returns per span the id of its segment; `null` where an ancestor is not among these spans
 */
export function segmentIds(spans: readonly SegmentSpan[]): ReadonlyMap<SegmentSpan, string | null> {
  const byId = new Map(spans.map((span) => [keyOf(span.traceId, span.spanId), span]))
  const found = new Map<SegmentSpan, string | null>()
  for (const span of spans) {
    const path: SegmentSpan[] = []
    let at: SegmentSpan | undefined = span
    // `found` also ends a cycle of parents: each span of the path is marked before its parent is read.
    while (at !== undefined && !found.has(at) && !at.isSegment) {
      found.set(at, null)
      path.push(at)
      at = at.parentSpanId === null ? undefined : byId.get(keyOf(at.traceId, at.parentSpanId))
    }
    const segment = at === undefined ? null : at.isSegment ? at.spanId : (found.get(at) ?? null)
    if (at?.isSegment) found.set(at, at.spanId)
    for (const one of path) found.set(one, segment)
  }
  return found
}

const keyOf = (traceId: string, spanId: string): string => `${traceId} ${spanId}`
