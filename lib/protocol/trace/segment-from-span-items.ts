import { hex16 } from '../ids'
import { text } from '../items/json'
import type { SpanItem } from '../items/span'
import { linksOf } from './links'
import type { Segment, SegmentSpan } from './segment'
import { fromBrowser, serviceOf } from './service'

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
