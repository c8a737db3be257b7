import { describe, expect, it } from 'vitest'
import { missingSentences } from '../../../dashboards/traces/missing'
import { type PageReport, reportsDuring } from '../../../dashboards/traces/page-reports'
import { traceLanes } from '../../../dashboards/traces/trace-lanes'
import { mainSegment } from '../../../dashboards/traces/use-usual'
import type { SignalRow } from '../../../lib/wire/signal'
import { errorOf } from './drawn-error'
import { segmentIn, signalIn, spanIn, submissionIn, traceOf } from './drawn-trace'

const LIMITED = { name: 'rate_limited', reason: 'limited' } as const

const missing = (
  trace = traceOf(),
  given: {
    signals?: readonly SignalRow[]
    reports?: readonly PageReport[]
    orphans?: number
    isArriving?: boolean
  } = {},
) => missingSentences({ trace, signals: [], reports: [], orphans: 0, isArriving: false, ...given })

describe('the lost parts of a trace', () => {
  it('are none in a trace that was kept or accepted', () => {
    const submissions = [submissionIn(1, { deliveryStatus: { name: 'accepted', reason: null } })]
    expect(missing(traceOf({ submissions, spans: [spanIn('a')] }))).toEqual([])
  })

  it('are counted by kind and status: the spans of its items, errors and signals', () => {
    const trace = traceOf({
      submissions: [1, 2, 3].map((seq) => submissionIn(seq, { deliveryStatus: LIMITED })),
      segments: [segmentIn('a', { deliveryStatus: LIMITED }), segmentIn('b', { item: 1 })],
      spans: [spanIn('a'), spanIn('a1'), spanIn('b', { item: 1 })],
      errors: [errorOf({ seq: 2, deliveryStatus: LIMITED }), errorOf({ seq: 9 })],
    })
    const log = signalIn('log', { seq: 2, deliveryStatus: { name: 'dropped', reason: null } })
    expect(missing(trace, { signals: [log] })).toEqual([
      '2 spans rate limited: not at upstream',
      '1 error rate limited: not at upstream',
      '1 log dropped: not at upstream',
      // Nothing is known about the items of the third one.
      '1 envelope rate limited: not at upstream',
    ])
  })

  it('may be evicted ones when the trace starts before the oldest stored submission', () => {
    expect(missing(traceOf({ evictedBefore: 100_001 }))).toEqual([
      'parts may be missing: what was received before 00:01:40.001 was evicted',
    ])
    expect(missing(traceOf({ evictedBefore: 100_000 }))).toEqual([])
  })

  it('include a trace that is arriving, missing parents, entries dropped by SDKs, and gaps', () => {
    const trace = traceOf({
      dropped: { attributes: 1, events: 0, links: 2 },
      gaps: [{ of: 'spans', missing: 20_000, limit: 100_000 }],
    })
    expect(missing(trace, { isArriving: true, orphans: 2 })).toEqual([
      'still arriving',
      '2 parents not arrived',
      '1 attribute, 0 events, 2 links dropped by the SDK',
      '20,000 spans above 100,000 not read',
    ])
  })
})

describe('client reports of a page', () => {
  /** @param at seconds after the epoch */
  const report = (seq: number, at: number, fields: SignalRow['fields'], given: Partial<SignalRow> = {}) =>
    signalIn('client_report', {
      key: `${seq}.0.${JSON.stringify(fields)}`,
      seq,
      timestampUs: at * 1e6,
      fields,
      ...given,
    })
  const spans = { reason: 'queue_overflow', category: 'span', quantity: 6 }
  const logs = { reason: 'ratelimit_backoff', category: 'log_item', quantity: 7 }
  const during = (...rows: readonly SignalRow[]) => reportsDuring(rows, { startUs: 100e6, durationUs: 1e6 })

  it('are those whose time since the previous report overlaps the trace', () => {
    const rows = [90, 99.9, 100.5, 130, 160].map((at, seq) => report(seq, at, spans))
    expect(
      during(...[...rows].reverse()).map(({ atUs, sinceUs }) => [atUs / 1e6, sinceUs === null ? null : sinceUs / 1e6]),
    ).toEqual([
      [100.5, 99.9],
      [130, 100.5],
    ])
    expect(during(report(1, 500, spans))).toMatchObject([{ sinceUs: null }])
    expect(during(report(1, 99, spans))).toEqual([])
  })

  it('have all counts of one report, without those of copies', () => {
    expect(during(report(4, 101, spans), report(4, 101, logs), report(5, 101, spans, { copy: 'only' }))).toMatchObject([
      { seq: 4, discards: [spans, logs] },
    ])
  })

  it('stand on the delivery lane, and are no part of the trace', () => {
    const reports = during(report(4, 101.5, spans), report(4, 101.5, logs))
    const trace = traceOf({ submissions: [submissionIn(3, { receivedAt: 101_000, page: 'p' })] })
    const [lane] = traceLanes({
      ...{ trace, reports, breadcrumbs: [], signals: [], vitals: [], longTasks: [] },
      ...{ onSpan: () => undefined, onEvents: () => undefined },
    })
    expect(lane?.counts).toBe('1 envelope, 1 client report')
    expect(lane?.marks.at(-1)).toMatchObject({
      startUs: 101.5e6,
      title:
        'Client report +1.50 s: 6 span queue_overflow, 7 log_item ratelimit_backoff, of this trace or others of its page',
    })
  })

  it('are a sentence with the losses that nobody chose', () => {
    const chosen = report(4, 101, { reason: 'sample_rate', category: 'transaction', quantity: 3 })
    expect(
      missing(traceOf(), {
        reports: during(report(4, 101, spans), report(4, 101, logs), chosen, report(5, 105, spans)),
      }),
    ).toEqual(['its page discarded 6 span, 7 log_item meanwhile, of this trace or others'])
    expect(missing(traceOf(), { reports: during(chosen) })).toEqual([])
  })
})

it('the main segment of a trace has its name and op', () => {
  const segments = [
    segmentIn('server', { name: '/cart', op: 'http.server' }),
    segmentIn('page', { name: '/cart', op: 'pageload' }),
  ]
  expect(mainSegment(traceOf({ segments, summary: { name: '/cart', op: 'pageload' } }))?.segmentId).toBe('page')
  expect(mainSegment(traceOf({ segments, summary: { name: 'Error: x' } }))).toBeUndefined()
})
