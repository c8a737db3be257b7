import type { Attributes, LeavesOut, OutgoingSegment } from './leave-out'
import type { Envelope, EnvelopeItem } from './sdk'

export interface Dropped {
  readonly category: 'transaction' | 'span'
  readonly quantity: number
}

export interface Filtered {
  /** What may go out; `null` when nothing is left. */
  readonly envelope: Envelope | null
  readonly dropped: readonly Dropped[]
  /** Segments dropped here: what belongs to them and comes later is dropped as well. */
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

export interface OutgoingRule {
  readonly leavesOut: LeavesOut
  /** Was this segment dropped before? Late children name the segment they belong to. */
  readonly isKnown: (segmentId: string) => boolean
}

/**
 * Takes segments out of an envelope, with their children. Events, sessions and reports always stay: an error on a
 * missing page is an error.
 */
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

function filterItem(item: EnvelopeItem, rule: OutgoingRule): FilteredItem {
  if (item[0].type === 'transaction') return filterTransaction(item, rule)
  if (item[0].type === 'span' && hasSpans(item[1])) return filterContainer(item, item[1].items, rule)
  return { kept: item, dropped: [], segments: [] }
}

function filterTransaction(item: EnvelopeItem, { leavesOut }: OutgoingRule): FilteredItem {
  const { transaction = '', contexts, spans = [] } = item[1] as Transaction
  const attributes = contexts?.trace?.data ?? {}
  if (!leavesOut({ name: transaction, attributes, children: spans.map((span) => span.data ?? {}) }))
    return { kept: item, dropped: [], segments: [] }
  const id = contexts?.trace?.span_id
  return {
    kept: null,
    // The SDK's own count for a lost transaction: itself, its spans, and the span it is.
    dropped: [
      { category: 'transaction', quantity: 1 },
      { category: 'span', quantity: spans.length + 1 },
    ],
    segments: id === undefined ? [] : [id],
  }
}

function filterContainer(item: EnvelopeItem, spans: readonly StreamedSpan[], rule: OutgoingRule): FilteredItem {
  const leftOut = new Set(
    spans.filter((one) => one.is_segment && rule.leavesOut(segmentFrom(spans, one))).map((one) => one.span_id),
  )
  const kept = spans.filter((span) => {
    const segment = segmentOf(span)
    return segment === null || !(leftOut.has(segment) || rule.isKnown(segment))
  })
  const quantity = spans.length - kept.length
  if (quantity === 0) return { kept: item, dropped: [], segments: [] }
  return {
    kept: kept.length === 0 ? null : withSpans(item, kept),
    dropped: [{ category: 'span', quantity }],
    segments: [...leftOut],
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
