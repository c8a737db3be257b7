import { type SpanItem, valuesOf } from '../items/span'
import type { TransactionItem } from '../items/transaction'
import { hex16, hex32, isObject, type JsonObject, text } from '../json'
import { fromBrowser, type Segment, type SegmentSpan, type SpanLink, serviceOf } from './segment'

/** A pageload or navigation of the streamed lifecycle keeps a generic name on the wire; its path is an attribute. */
const GENERIC_NAMES = new Set(['Pageload', 'Navigation'])

/**
 * Streamed spans arrive children first, in containers of at most 1000, and a segment's late children (web vitals)
 * long after it. So spans are taken one by one, and those that call themselves segments make one each.
 */
export function segmentsFromSpanItems(items: readonly SpanItem[]): {
  segments: readonly Segment[]
  spans: readonly SegmentSpan[]
} {
  const inBrowser = fromBrowser(items)
  const spans = items.map((item) => spanOf(item, inBrowser))
  const segments = spans.flatMap((span, index) => (span.isSegment ? [segmentOf(span, items[index])] : []))
  return { segments, spans }
}

function spanOf(item: SpanItem, inBrowser: boolean): SegmentSpan {
  const { attributes } = item
  return {
    traceId: item.traceId,
    spanId: item.spanId,
    parentSpanId: item.parentSpanId,
    segmentId: item.isSegment ? item.spanId : hex16(attributes['sentry.segment.id']),
    isSegment: item.isSegment,
    name: nameOf(item),
    op: text(attributes['sentry.op']),
    status: item.status,
    origin: text(attributes['sentry.origin']),
    service: serviceOf({
      sdk: text(attributes['sentry.sdk.name']),
      runtime: text(attributes['process.runtime.name']),
      inBrowser,
    }),
    startUs: item.startUs,
    endUs: Math.max(item.startUs, item.endUs),
    attributes,
    links: linksOf(item.links),
  }
}

function nameOf(item: SpanItem): string {
  const path = text(item.attributes['url.path'])
  if (item.isSegment && path !== null && (item.name === null || GENERIC_NAMES.has(item.name))) return path
  return item.name ?? text(item.attributes['sentry.op']) ?? '(unnamed)'
}

function segmentOf(span: SegmentSpan, item: SpanItem | undefined): Segment {
  const attributes = item?.attributes ?? {}
  return {
    traceId: span.traceId,
    segmentId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: span.name,
    op: span.op,
    status: span.status,
    startUs: span.startUs,
    endUs: span.endUs,
    lifecycle: 'stream',
    service: span.service,
    environment: text(attributes['sentry.environment']),
    release: text(attributes['sentry.release']),
    sdk: text(attributes['sentry.sdk.name']),
  }
}

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

/** Links of either lifecycle: attributes are plain values in one and typed values in the other. */
function linksOf(links: readonly JsonObject[]): readonly SpanLink[] {
  return links.flatMap((link) => {
    const traceId = hex32(link.trace_id)
    const spanId = hex16(link.span_id)
    if (traceId === null || spanId === null) return []
    const attributes = isObject(link.attributes) ? valuesOf(link.attributes) : {}
    return [{ traceId, spanId, type: text(attributes['sentry.link.type']) }]
  })
}
