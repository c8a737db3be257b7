import type { AnalysedSpan } from '../../lib/protocol/trace/time-tree'
import { randomFrom } from '../faults/random'

/** Of one transaction, with the segment. */
const SPANS_EACH = 1000
const OPS = ['db.query', 'http.client', 'function', 'cache.get'] as const
const START_S = 1_795_000_000

export interface BuiltTrace {
  readonly traceId: string
  readonly spans: number
  /** Envelopes as an SDK sends them, of one transaction each. */
  readonly bodies: readonly string[]
}

/** Makes a trace of this many spans in transactions of at most 1,000. */
export function buildTrace(count: number): BuiltTrace {
  const draw = randomFrom(count)
  const traceId = crypto.randomUUID().replaceAll('-', '')
  const root = newSpanId()
  const bodies = [envelope(traceId, { spanId: root, parentSpanId: null, from: 0, to: 50, children: [] })]
  for (let left = count - 1, at = 0; left > 0; at += 1) {
    const size = Math.min(left, SPANS_EACH)
    left -= size
    const [spanId, from] = [newSpanId(), (at * 0.4) % 45]
    const ids = [spanId]
    const children = Array.from({ length: size - 1 }, (_, index): SentSpan => {
      const id = newSpanId()
      const parent = ids[draw.between(0, Math.min(ids.length, 80) - 1)] ?? spanId
      ids.push(id)
      const startsAt = from + draw.between(0, 4000) / 1000
      return {
        ...{ trace_id: traceId, span_id: id, parent_span_id: parent, status: 'ok' },
        ...{ op: OPS[index % OPS.length] ?? '', description: `${OPS[index % OPS.length]} ${index % 500}` },
        ...{ start_timestamp: start(startsAt), timestamp: start(startsAt + draw.between(1, 300) / 1000) },
      }
    })
    bodies.push(envelope(traceId, { spanId, parentSpanId: root, from, to: from + 4.5, children }))
  }
  return { traceId, spans: count, bodies }
}

/** Posts a trace to an intake endpoint. */
export async function postTrace(address: string, { bodies }: BuiltTrace): Promise<void> {
  const headers = { 'content-type': 'application/x-sentry-envelope' }
  for (const body of bodies) {
    const answer = await fetch(address, { method: 'POST', headers, body })
    if (answer.status !== 200)
      throw new Error(`${address} answered ${answer.status} to a transaction, expected 200: ${await answer.text()}`)
  }
}

/** The spans of a trace as the analyses read them. */
export const spansOf = ({ bodies }: BuiltTrace): readonly AnalysedSpan[] =>
  bodies.flatMap((body) => {
    const { transaction, contexts, spans, ...times } = JSON.parse(body.split('\n')[2] ?? '') as SentTransaction
    return [{ ...contexts.trace, ...times, description: transaction }, ...spans].map((span) => ({
      ...{ spanId: span.span_id, parentSpanId: span.parent_span_id ?? null, service: 'bench', op: span.op },
      ...{ startUs: span.start_timestamp * 1e6, endUs: span.timestamp * 1e6 },
      ...{ name: span.description, status: span.status },
    }))
  })

const start = (seconds: number): number => START_S + seconds
const newSpanId = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 16)

interface SentTimes {
  readonly start_timestamp: number
  readonly timestamp: number
}

interface SentContext {
  readonly trace_id: string
  readonly span_id: string
  readonly parent_span_id?: string
  readonly op: string
  readonly status: string
}

type SentSpan = SentContext & SentTimes & { readonly description: string }

interface SentTransaction extends SentTimes {
  readonly transaction: string
  readonly contexts: { readonly trace: SentContext }
  readonly spans: readonly SentSpan[]
}

interface Segment {
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly from: number
  readonly to: number
  readonly children: readonly SentSpan[]
}

function envelope(traceId: string, { spanId, parentSpanId, from, to, children }: Segment): string {
  const eventId = crypto.randomUUID().replaceAll('-', '')
  const trace = { trace_id: traceId, span_id: spanId, op: 'http.server', status: 'ok' }
  const transaction = {
    ...{ type: 'transaction', event_id: eventId, transaction: `bench ${from}`, platform: 'node', spans: children },
    ...{ start_timestamp: start(from), timestamp: start(to) },
    contexts: { trace: parentSpanId === null ? trace : { ...trace, parent_span_id: parentSpanId } },
  } satisfies SentTransaction & object
  const header = { event_id: eventId, sdk: { name: 'sentry.javascript.node', version: '10.31.0' } }
  return [header, { type: 'transaction' }, transaction].map((one) => JSON.stringify(one)).join('\n')
}
