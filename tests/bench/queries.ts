import { type StorePlan, TRACES, VALUES } from './store-records'

/** A query that is sent many times. */
export interface Query {
  readonly what: string
  readonly path: string
  /** The goal for the p95, in ms; null without a goal. */
  readonly goalMs: number | null
  /** The goal is for the first byte instead of the whole answer. */
  readonly ofFirstByte?: true
}

const PAGE_MS = 30
const TRACE_MS = 50
const QUERY_MS = 10
/** Each form of the grammar. */
const QUERIES = [
  ['segments', ''],
  ['segments', 'own:show'],
  ['segments', 'op:pageload op:navigation'],
  ['segments', '-op:pageload'],
  ['segments', 'duration:>20ms duration:<2s'],
  ['segments', 'name:"GET /"*'],
  ['segments', 'environment:none*'],
  ['segments', '"no such text"'],
  ['segments', '-orders'],
  ['traces', '-status:ok service:s*'],
  ['events', '-level:error'],
  ['envelopes', '-type:event page:none*'],
] as const
const FIRST_BYTE_MS = 200
const HOUR_MS = 3_600_000

/**
 * Lists with each filter alone (values that are common, only in the oldest records, in no record) and with several
 * filters, and details of traces.
 * @param deep a cursor deep in the list of traces @param segment the address of a common segment
 */
export function queriesOf(plan: StorePlan, deep: string, segment: string): readonly Query[] {
  const iso = (ms: number): string => new Date(ms).toISOString()
  const oldest = plan.newest - 14 * 24 * HOUR_MS
  const byValue = Object.entries(VALUES).flatMap(([name, values]) =>
    Object.entries(values).map(([frequency, value]) => [frequency, { [name]: value }] as const),
  )
  const singles: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ...byValue,
    ['common', { status: 'ok' }],
    ['one in 20', { status: 'error' }],
    ['common', { min_duration: '100ms' }],
    ['rare', { min_duration: '30m' }],
    ['none', { min_duration: '100h' }],
    ['common', { max_duration: '1s' }],
    ['none', { max_duration: '1us' }],
    ['common', { since: iso(plan.newest - 24 * HOUR_MS) }],
    ['none', { since: iso(plan.newest + 24 * HOUR_MS) }],
    ['rare', { until: iso(oldest + HOUR_MS / 4) }],
    ['none', { until: '2000-01-01T00:00:00.000Z' }],
  ]
  const several: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['common', { op: 'pageload', environment: 'production' }],
    ['some', { op: 'pageload', status: 'error' }],
    ['some', { name: VALUES.name.common, release: 'shop@4.5.9' }],
    ['some', { environment: 'staging', min_duration: '1s' }],
    ['some', { stamp: VALUES.stamp.common, status: 'error' }],
    ['some', { text: VALUES.text.common, op: 'navigation' }],
    ['never together', { op: VALUES.op.rare, environment: 'production' }],
    ['never together', { op: 'pageload', release: VALUES.release.rare }],
    ['never together', { text: VALUES.text.rare, op: 'pageload' }],
    ['never together', { status: 'error', name: VALUES.name.rare }],
    ['some', { op: 'pageload', status: 'error', environment: 'staging' }],
    ['some', { text: 'orders', status: 'error', environment: 'development' }],
    ['some', { service: 'server', min_duration: '1s', release: 'shop@4.6.0' }],
    ['never together', { service: 'browser', environment: 'production', release: VALUES.release.rare }],
    ['never together', { op: 'pageload', environment: 'production', text: VALUES.text.rare }],
    ['never together', { status: 'error', min_duration: '30m', environment: 'production' }],
  ]
  const list = (
    path: string,
    frequency: string,
    filter: Readonly<Record<string, string>>,
    goalMs: number | null,
  ): Query => ({
    what: [path, ...Object.keys(filter), frequency].filter((word) => word !== '').join(' '),
    path: `/query/${path}?${new URLSearchParams(filter)}`,
    goalMs,
  })
  return [
    list('traces', '', {}, PAGE_MS),
    list('traces', 'deep', { cursor: deep }, PAGE_MS),
    ...[...singles, ...several].map(([frequency, filter]) => list('traces', frequency, filter, PAGE_MS)),
    list('segments', '', {}, null),
    list('segments', 'common', { op: VALUES.op.common }, null),
    list('segments', 'rare', { name: VALUES.name.rare }, null),
    list('segments', 'none', { text: VALUES.text.none }, null),
    list('segments', '', { trace: TRACES.transactions }, null),
    ...QUERIES.map(([path, q]) => list(path, q, { q }, QUERY_MS)),
    list('spans', '', {}, null),
    list('spans', 'common', { op: 'http.client' }, null),
    list('spans', 'none', { op: VALUES.op.none }, null),
    list('spans', '', { trace: TRACES.transactions }, null),
    list('events', '', {}, null),
    list('events', 'common', { level: 'error' }, null),
    list('events', 'none', { level: 'fatal' }, null),
    list('events', 'common', { text: 'payment provider' }, null),
    list('events', 'none', { text: VALUES.text.none }, null),
    list('events', 'never together', { level: 'warning', release: VALUES.release.rare }, null),
    list('envelopes', '', {}, null),
    list('envelopes', 'common', { type: 'event' }, null),
    list('envelopes', 'none', { type: 'check_in' }, null),
    { what: 'segments usual durations', path: `${segment}/usual`, goalMs: QUERY_MS },
    { what: 'overview', path: '/query/overview', goalMs: null },
    { what: 'trace, 1,000 spans, 50 records', path: `/query/traces/${TRACES.transactions}`, goalMs: TRACE_MS },
    { what: 'trace, 1,000 spans, one record', path: `/query/traces/${TRACES.container}`, goalMs: TRACE_MS },
  ]
}

/** Sent less often, because each answer takes long. */
export const LONG_TRACE: Query = {
  what: 'trace, 100,000 spans',
  path: `/query/traces/${TRACES.long}`,
  goalMs: FIRST_BYTE_MS,
  ofFirstByte: true,
}
