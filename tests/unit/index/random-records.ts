import type { SubmissionRow } from '../../../collector/spool/read/read-submissions'
import { seededRandom } from '../protocol/seeded-random'

/** Few ids, so that most rows have several contributions. */
const TRACES = ['a', 'b', 'c'].map((digit) => digit.repeat(32))
const SPANS = ['1', '2', '3', '4', '5', '6'].map((digit) => digit.repeat(16))
const EVENTS = ['d', 'e', 'f'].map((digit) => digit.repeat(32))
const START = 1_795_000_000

const line = (value: object): string => JSON.stringify(value)

/**
 * Draws records with rows of every table: late, repeated, copied, overlapping, and some unreadable.
 * @param ties whether different contributions to one row may have the same timestamp, or none: the later one is then visible.
 */
export function randomRecords(count: number, seed: number, ties = true): readonly SubmissionRow[] {
  const random = seededRandom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  const one = <Value>(values: readonly Value[]): Value => {
    const value = values[below(values.length)]
    if (value === undefined) throw new Error('there is nothing to draw from')
    return value
  }
  let micros = 0
  const end = (): number => {
    micros += 1
    return START + 1 + (ties ? below(4) : (micros * 7919) / 1_000_000)
  }

  const transaction = (): readonly string[] => {
    const traceId = one(TRACES)
    return [
      line({ type: 'transaction' }),
      line({
        type: 'transaction',
        event_id: one(EVENTS),
        transaction: `/${below(3)}`,
        platform: one(['javascript', 'node']),
        environment: one(['production', 'test']),
        start_timestamp: START - below(3),
        timestamp: end(),
        contexts: {
          trace: {
            trace_id: traceId,
            span_id: one(SPANS),
            op: one(['pageload', 'http.server']),
            status: one(['ok', 'internal_error']),
          },
        },
        spans: Array.from({ length: below(4) }, () => ({
          trace_id: traceId,
          span_id: one(SPANS),
          parent_span_id: one(SPANS),
          description: `child ${below(9)}`,
          start_timestamp: START,
          timestamp: end(),
        })),
      }),
    ]
  }
  const spans = (): readonly string[] => {
    const items = Array.from({ length: 1 + below(4) }, () => ({
      trace_id: one(TRACES),
      span_id: one(SPANS),
      name: `span ${below(9)}`,
      start_timestamp: START - below(2),
      end_timestamp: end(),
      is_segment: below(3) === 0,
      status: 'ok',
      attributes: { 'sentry.op': { value: 'ui.task', type: 'string' } },
    }))
    const header = { type: 'span', item_count: items.length, content_type: 'application/vnd.sentry.items.span.v2+json' }
    return [line(header), line({ version: 2, items })]
  }
  const event = (): readonly string[] => [
    line({ type: 'event' }),
    line({
      event_id: one(EVENTS),
      platform: 'node',
      ...((!ties || below(4) > 0) && { timestamp: end() }),
      message: `message ${'vwxyz'[below(5)]}`,
      ...(below(5) > 0 && { contexts: { trace: { trace_id: one(TRACES), span_id: one(SPANS) } } }),
      breadcrumbs: Array.from({ length: below(4) }, (_, index) => ({
        timestamp: START,
        message: `step ${index} ${below(9)}`,
      })),
    }),
  ]
  const session = (): readonly string[] => [
    line({ type: 'session' }),
    line({
      sid: `${EVENTS[below(3)]}`,
      status: one(['ok', 'exited']),
      seq: below(3),
      errors: below(2),
      started: '2026-11-20T10:00:00Z',
      timestamp: new Date(end() * 1000).toISOString(),
      attrs: { release: '1', environment: 'production' },
    }),
  ]
  const log = (): readonly string[] => [
    line({ type: 'log', item_count: 1, content_type: 'application/vnd.sentry.items.log+json' }),
    line({
      items: [{ timestamp: START, trace_id: one(TRACES), level: 'info', body: `log ${below(9)}`, attributes: {} }],
    }),
  ]
  const metric = (): readonly string[] => [
    line({ type: 'trace_metric', item_count: 1, content_type: 'application/vnd.sentry.items.trace-metric+json' }),
    line({ items: [{ timestamp: START, trace_id: one(TRACES), name: `m${below(3)}`, type: 'counter', value: 1 }] }),
  ]
  const clientReport = (): readonly string[] => [
    line({ type: 'client_report' }),
    line({ timestamp: START, discarded_events: [{ reason: 'sample_rate', category: 'error', quantity: below(9) }] }),
  ]
  const attachment = (): readonly string[] => [line({ type: 'attachment', filename: `${below(9)}.txt` }), 'text']
  const feedback = (): readonly string[] => [
    line({ type: 'feedback' }),
    line({ event_id: one(EVENTS), timestamp: end(), contexts: { feedback: { message: `feedback ${below(9)}` } } }),
  ]
  const replay = (): readonly string[] => [
    line({ type: 'replay_event' }),
    line({ replay_id: one(EVENTS), segment_id: below(2), timestamp: end(), urls: [`/${below(9)}`] }),
  ]
  const profile = (): readonly string[] => [
    line({ type: 'profile' }),
    line({ event_id: one(EVENTS), timestamp: end(), transaction: { name: `/${below(9)}`, trace_id: one(TRACES) } }),
  ]
  const checkIn = (): readonly string[] => [
    line({ type: 'check_in' }),
    line({ check_in_id: one(EVENTS), monitor_slug: 'job', status: one(['in_progress', 'ok']) }),
  ]
  const security = (): readonly string[] => [
    line({ type: 'raw_security' }),
    line({ 'csp-report': { 'blocked-uri': `https://${below(9)}.test`, 'effective-directive': 'img-src' } }),
  ]
  const timed = [session, log, metric, clientReport, feedback, replay, profile]
  // The time of receipt replaces their missing timestamp, so their rows depend on the order of arrival.
  const untimed = [attachment, checkIn, security]
  const other = (): readonly string[] => one(ties ? [...timed, ...untimed] : timed)()
  const broken = (): readonly string[] => [line({ type: 'transaction' }), line({ not: 'a transaction' })]

  const body = (): string => {
    if (below(20) === 0) return 'this frames as nothing'
    const items = Array.from({ length: 1 + below(3) }, () =>
      one([transaction, transaction, spans, spans, event, event, other, other, broken])(),
    )
    return [line({ event_id: one(EVENTS) }), ...items.flat()].join('\n')
  }
  const drawn: { readonly text: string; readonly stamp: string | null }[] = []
  return Array.from({ length: count }, (_, index) => {
    const again = drawn.length > 0 && below(4) === 0
    const { text, stamp } = again ? one(drawn) : { text: body(), stamp: one([null, null, 'first', 'second']) }
    drawn.push({ text, stamp })
    return { ...recordOf(text, index + 1, one(['tunnel', 'envelope', 'stream'])), stamp }
  })
}

/** The nth record, with this body. */
export function recordOf(body: string, seq: number, endpoint: SubmissionRow['endpoint']): SubmissionRow {
  const bytes = new TextEncoder().encode(body)
  return {
    seq,
    journal: seq * 10,
    content_type: null,
    target: null,
    received_at: 1_795_000_000_000 + seq,
    endpoint,
    stamp: null,
    // Equal bodies have equal senders, whatever their order.
    project: String(1 + (bytes.length % 2)),
    page: bytes.length % 5 === 0 ? 'page-1' : null,
    own: Number(bytes.length % 3 === 0),
    bytes: bytes.length,
    deflated: 0,
    body: bytes,
    facts: '{}',
    quantities: '[]',
    checksum: null,
  }
}
