import { formatDurationMs } from '../../lib/format'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import type { EventDetail } from '../../lib/wire/event'
import type { SignalRow } from '../../lib/wire/signal'
import type { SpanRow } from '../../lib/wire/trace'

/** A smaller difference may be the way of the envelope. */
const APART_MS = 1000

interface Sent extends Pick<EnvelopeDetail, 'header' | 'receivedAt'> {
  readonly facts: Pick<EnvelopeDetail['facts'], 'keptMs'>
}

/** `sent_at` of an envelope in ms, by the clock of its sender; `null` without one. */
export function sentAtMs(envelope: Pick<Sent, 'header'> | null): number | null {
  const sent = envelope?.header.sent_at
  const ms = typeof sent === 'string' ? Date.parse(sent) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

/** The clock of a service, when it differs from the collector's by 1 s or more; `null` when it does not, or nothing is known. */
export function clockText(service: string, envelope: Sent | null): string | null {
  const sentMs = sentAtMs(envelope)
  if (envelope === null || sentMs === null) return null
  const aheadMs = sentMs - (envelope.receivedAt - (envelope.facts.keptMs ?? 0))
  if (Math.abs(aheadMs) < APART_MS) return null
  const apart = formatDurationMs(Math.abs(aheadMs))
  return aheadMs > 0
    ? `The clock of ${service} is ${apart} ahead of the collector’s.`
    : `The clock of ${service} is ${apart} behind the collector’s, or its envelope took that long to arrive.`
}

interface Around {
  readonly spans: readonly Pick<SpanRow, 'service' | 'seq' | 'startUs'>[]
  readonly logs: readonly Pick<SignalRow, 'service' | 'seq' | 'timestampUs'>[]
}

/** Another service with a span or log before an error, and the envelope that sent it; `null` without one. */
export function otherSender(event: Pick<EventDetail, 'service' | 'timestampUs'>, { spans, logs }: Around) {
  // SDKs send logs without `sent_at`, so spans come first.
  const rows = [
    ...spans.map(({ service, seq, startUs }) => ({ service, seq, us: startUs })),
    ...logs.map(({ service, seq, timestampUs }) => ({ service, seq, us: timestampUs })),
  ]
  for (const { service, seq, us } of rows)
    if (service !== null && service !== event.service && us <= event.timestampUs) return { service, seq }
  return null
}
