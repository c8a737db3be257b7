import * as Sentry from '@sentry/nextjs'
import { type Attributes, NOT_FOUND_ATTRIBUTE, type OutgoingSegment } from '../contract/missing-page'
import type { Envelope, EnvelopeItem, RecordDrop, Transport } from './transport'

/** Returns true for a segment that must not be sent. */
type SegmentFilter = (segment: OutgoingSegment) => boolean

/** The number of dropped segments that are remembered, so that their late children are dropped as well. */
export const REMEMBERED_SEGMENTS = 500

/** Removes segments before they are sent; the SDK's own `recordDrop` accounts for each in the next client report. */
export function filteringTransport(inner: Transport, shouldDrop: SegmentFilter, recordDrop: RecordDrop): Transport {
  const remembered = new Set<string>()
  return {
    flush: (timeout) => inner.flush(timeout),
    send: (envelope) => {
      const filtered = filterOutgoing(envelope, { shouldDrop, wasDropped: (segment) => remembered.has(segment) })
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

/** Removes segments of the proxy and of Next's own start, without a count: they are no telemetry of the app. */
export const withoutOwnSegments = (inner: Transport): Transport =>
  filteringTransport(
    inner,
    (segment) => isProxy(segment) || isStartUp(segment) || isReadinessProbe(segment),
    () => undefined,
  )

/** Segments of one span: Next loads each route when it starts. A sampler would count each as not sent. */
const isStartUp: SegmentFilter = ({ name }) =>
  /^(?:load (?:app )?route module|load instrumentation module|register instrumentation)$/.test(name)

/** `npm start` probes the tunnel, perhaps before the SDK has started and can suppress its requests. */
const isReadinessProbe: SegmentFilter = ({ name }) => name === 'OPTIONS /tunnel'

/**
 * A segment of `proxy.ts`, which belongs to Waystation, not to the app. Next runs the proxy in its own request span,
 * which ends before the status of the page is known.
 */
export const isProxy: SegmentFilter = ({ attributes }) => {
  const route = attributes['http.route']
  return typeof route === 'string' && route.startsWith('middleware ')
}

/** Marks the current pageload or navigation as a missing page, which `isMissingPage` recognises. */
export function markNotFound(): void {
  const span = Sentry.getActiveSpan()
  if (span !== undefined) Sentry.getRootSpan(span).setAttribute(NOT_FOUND_ATTRIBUTE, true)
}

interface OutgoingRule {
  readonly shouldDrop: SegmentFilter
  /** Returns true for a segment that was dropped before. Late children name their segment. */
  readonly wasDropped: (segmentId: string) => boolean
}

interface Filtered {
  /** `null` when nothing is left. */
  readonly envelope: Envelope | null
  readonly dropped: readonly Dropped[]
  readonly segments: readonly string[]
}

interface Dropped {
  readonly category: 'transaction' | 'span'
  readonly quantity: number
}

/** With their children. Events, sessions and reports stay: an error on a missing page is still an error. */
export function filterOutgoing(envelope: Envelope, rule: OutgoingRule): Filtered {
  const items = envelope[1].map((item) => filterItem(item, rule))
  const dropped = items.flatMap((item) => item.dropped)
  const segments = items.flatMap((item) => item.segments)
  if (dropped.length === 0) return { envelope, dropped, segments }
  const kept = items.flatMap((item) => (item.kept === null ? [] : [item.kept]))
  return { envelope: kept.length === 0 ? null : withItems(envelope, kept), dropped, segments }
}

interface FilteredItem {
  readonly kept: EnvelopeItem | null
  readonly dropped: readonly Dropped[]
  readonly segments: readonly string[]
}

interface Transaction {
  readonly transaction?: string
  readonly contexts?: { readonly trace?: { readonly span_id?: string; readonly data?: Attributes } }
  readonly spans?: readonly { readonly data?: Attributes }[]
}

interface StreamedSpan {
  readonly span_id: string
  readonly name: string
  readonly is_segment: boolean
  readonly attributes: Readonly<Record<string, { readonly value: unknown }>>
}

function filterItem(item: EnvelopeItem, rule: OutgoingRule): FilteredItem {
  if (item[0].type === 'transaction') return filterTransaction(item, rule)
  if (item[0].type === 'span' && hasSpans(item[1])) return filterContainer(item, item[1].items, rule)
  return { kept: item, dropped: [], segments: [] }
}

function filterTransaction(item: EnvelopeItem, { shouldDrop }: OutgoingRule): FilteredItem {
  const { transaction = '', contexts, spans = [] } = item[1] as Transaction
  const attributes = contexts?.trace?.data ?? {}
  if (!shouldDrop({ name: transaction, attributes, children: spans.map((span) => span.data ?? {}) }))
    return { kept: item, dropped: [], segments: [] }
  const id = contexts?.trace?.span_id
  return {
    kept: null,
    // The SDK counts a lost transaction as one transaction, its child spans, and its own span.
    dropped: [
      { category: 'transaction', quantity: 1 },
      { category: 'span', quantity: spans.length + 1 },
    ],
    segments: id === undefined ? [] : [id],
  }
}

function filterContainer(item: EnvelopeItem, spans: readonly StreamedSpan[], rule: OutgoingRule): FilteredItem {
  const droppedIds = new Set(
    spans.filter((one) => one.is_segment && rule.shouldDrop(segmentFrom(spans, one))).map((one) => one.span_id),
  )
  const kept = spans.filter((span) => {
    const segment = segmentOf(span)
    return segment === null || !(droppedIds.has(segment) || rule.wasDropped(segment))
  })
  const quantity = spans.length - kept.length
  if (quantity === 0) return { kept: item, dropped: [], segments: [] }
  return {
    kept: kept.length === 0 ? null : withSpans(item, kept),
    dropped: [{ category: 'span', quantity }],
    segments: [...droppedIds],
  }
}

function segmentFrom(spans: readonly StreamedSpan[], segment: StreamedSpan): OutgoingSegment {
  const children = spans.filter((span) => span !== segment && segmentOf(span) === segment.span_id)
  return { name: segment.name, attributes: plain(segment), children: children.map(plain) }
}

function segmentOf(span: StreamedSpan): string | null {
  if (span.is_segment) return span.span_id
  const id = span.attributes['sentry.segment.id']?.value
  return typeof id === 'string' ? id : null
}

const plain = (span: StreamedSpan): Attributes =>
  Object.fromEntries(Object.entries(span.attributes).map(([name, { value }]) => [name, value]))

const hasSpans = (payload: unknown): payload is { readonly items: readonly StreamedSpan[] } =>
  typeof payload === 'object' && payload !== null && 'items' in payload && Array.isArray(payload.items)

const withSpans = (item: EnvelopeItem, spans: readonly StreamedSpan[]): EnvelopeItem =>
  [
    { ...item[0], item_count: spans.length },
    { ...Object(item[1]), items: spans },
  ] as EnvelopeItem

const withItems = (envelope: Envelope, items: readonly EnvelopeItem[]): Envelope => [envelope[0], items] as Envelope
