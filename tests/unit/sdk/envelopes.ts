import type { Envelope, EnvelopeItem } from '../../../lib/sdk/transport'

type Data = Readonly<Record<string, unknown>>

/* Envelopes as the SDK passes them to its transport, with only the fields that the filters read. */

export const envelope = (...items: readonly EnvelopeItem[]): Envelope => [{ sent_at: 'now' }, items] as Envelope

export const transaction = (name: string, spanId: string, data: Data = {}, spans: readonly Data[] = []): EnvelopeItem =>
  [
    { type: 'transaction' },
    {
      type: 'transaction',
      transaction: name,
      contexts: { trace: { span_id: spanId, trace_id: 't', data } },
      spans: spans.map((one) => ({ data: one })),
    },
  ] as EnvelopeItem

export const span = (id: string, segment: string, name: string, data: Data = {}): Data => ({
  span_id: id,
  trace_id: 't',
  name,
  is_segment: id === segment,
  start_timestamp: 1,
  end_timestamp: 2,
  status: 'ok',
  attributes: Object.fromEntries(
    Object.entries({ 'sentry.segment.id': segment, ...data }).map(([key, value]) => [key, { value, type: 'string' }]),
  ),
})

export const container = (...spans: readonly Data[]): EnvelopeItem =>
  [
    {
      type: 'span',
      item_count: spans.length,
      content_type: 'application/vnd.sentry.items.span.v2+json',
    },
    { version: 2, items: spans },
  ] as EnvelopeItem

export const errorEvent = (transactionName: string): EnvelopeItem =>
  [{ type: 'event' }, { event_id: 'e', transaction: transactionName }] as EnvelopeItem

export const clientReport = (...discarded: readonly { reason: string; category: string; quantity: number }[]) =>
  [{ type: 'client_report' }, { timestamp: 1, discarded_events: discarded }] as EnvelopeItem

/** Returns the ids of the spans in a container item. */
export function spanIds(item: EnvelopeItem | undefined): readonly string[] {
  const payload: unknown = item?.[1]
  if (typeof payload !== 'object' || payload === null || !('items' in payload) || !Array.isArray(payload.items))
    return []
  return payload.items.map((one: { span_id: string }) => one.span_id)
}
