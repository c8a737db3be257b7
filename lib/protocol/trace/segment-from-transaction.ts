import type { TransactionItem } from '../items/transaction'
import { linksOf } from './links'
import type { Segment, SegmentSpan } from './segment'
import { serviceOf } from './service'

/** A static transaction is one segment; its own span is `contexts.trace` and is not repeated among its children. */
export function segmentFromTransaction(item: TransactionItem): { segment: Segment; spans: readonly SegmentSpan[] } {
  const service = serviceOf({ platform: item.platform, sdk: item.sdk, runtime: item.runtime })
  const name = item.name ?? item.op ?? '(unnamed)'
  const segment: Segment = {
    traceId: item.traceId,
    segmentId: item.spanId,
    parentSpanId: item.parentSpanId,
    name,
    op: item.op,
    status: item.status,
    startUs: item.startUs,
    endUs: Math.max(item.startUs, item.endUs),
    lifecycle: 'static',
    service,
    environment: item.environment,
    release: item.release,
    sdk: item.sdk,
  }
  const own: SegmentSpan = {
    ...pick(segment),
    spanId: item.spanId,
    segmentId: item.spanId,
    isSegment: true,
    origin: item.origin,
    attributes: { ...item.attributes, ...measured(item.measurements) },
    links: linksOf(item.links),
  }
  const children = item.spans.map(
    (span): SegmentSpan => ({
      traceId: item.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId ?? item.spanId,
      segmentId: item.spanId,
      isSegment: false,
      name: span.description ?? span.op ?? '(unnamed)',
      op: span.op,
      status: span.status,
      origin: span.origin,
      service,
      startUs: span.startUs,
      // A negative duration is a clock that was set back while the span was open.
      endUs: Math.max(span.startUs, span.endUs),
      attributes: span.attributes,
      links: linksOf(span.links),
    }),
  )
  return { segment, spans: [own, ...children] }
}

const pick = (segment: Segment) => ({
  traceId: segment.traceId,
  parentSpanId: segment.parentSpanId,
  name: segment.name,
  op: segment.op,
  status: segment.status,
  service: segment.service,
  startUs: segment.startUs,
  endUs: segment.endUs,
})

/** `measurements: { lcp: { value: 208, unit: 'millisecond' } }` beside the attributes, as `measurements.lcp`. */
function measured(measurements: TransactionItem['measurements']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(measurements).map(([name, value]) => [`measurements.${name}`, value]))
}
