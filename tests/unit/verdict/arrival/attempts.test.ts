import { describe, expect, it } from 'vitest'
import { attemptsOf, withoutAttemptLosses, withoutAttempts } from '../../../../lib/verdict/arrival/attempts'
import { noLoss } from '../../../../lib/verdict/expectations/no-loss'
import { ledgerRowOf, lossesOf } from '../expectations/sample-losses'
import { clientReportOf, eventOf, TRACE } from '../rules/sample-evidence'
import { arrived, observed, pageSpan } from './observed-test'

const failed = observed({ stamp: 'first', attempt: 0, isOk: false })
const retried = observed({ stamp: 'second', attempt: 1 })
const other = observed({ testId: 'other', stamp: 'other' })

describe('attempts of a test', () => {
  it('leave the verdict to the last one', () => {
    expect(attemptsOf([retried, other, failed])).toEqual({
      last: [retried, other],
      earlier: new Set(['first']),
      flaky: [{ test: 'shop.spec.ts:8', attempt: 1 }],
    })
  })

  it('are not flaky if the last one failed, or if the test was only retried with its group', () => {
    expect(attemptsOf([failed, { ...retried, isOk: false }])).toMatchObject({ earlier: new Set(['first']), flaky: [] })
    expect(attemptsOf([{ ...failed, isOk: true }, retried]).flaky).toEqual([])
  })

  it('are flaky if an earlier one reported nothing, because it crashed', () => {
    expect(attemptsOf([retried])).toMatchObject({ last: [retried], flaky: [{ attempt: 1 }] })
  })
})

describe('telemetry of earlier attempts', () => {
  const span = (traceId: string) => ({ contexts: { trace: { trace_id: traceId, span_id: 'c'.repeat(16) } } })
  const came = [
    { body: eventOf({ event_id: '1'.repeat(32), breadcrumbs: [{ message: 'clicked' }] }), stamp: 'first' },
    { body: clientReportOf(['network_error', 'error', 1]), stamp: 'first' },
    pageSpan('pageload', '/', { stamp: 'first' }),
    // A server without stamps, in the trace of the attempt, in another one, and in none.
    { body: eventOf({ event_id: '2'.repeat(32), platform: 'node' }) },
    { body: eventOf({ event_id: '3'.repeat(32), platform: 'node', ...span('d'.repeat(32)) }) },
    { body: clientReportOf(['queue_overflow', 'error', 1]) },
    { body: eventOf({ event_id: '4'.repeat(32), ...span('f'.repeat(32)) }), stamp: 'second' },
    pageSpan('pageload', '/', { stamp: 'second' }),
  ]

  it('is left out with its traces, and the rest is kept', () => {
    const { envelopes, items, events, segments, spans, breadcrumbs, signals } = withoutAttempts(
      arrived(...came),
      new Set(['first']),
    )
    expect(events.map(({ eventId }) => eventId[0])).toEqual(['3', '4'])
    expect(segments.map(({ stamp }) => stamp)).toEqual(['second'])
    expect([...envelopes, ...items, ...spans].filter(({ stamp }) => stamp === 'first')).toEqual([])
    expect({ crumbs: breadcrumbs.length, signals: signals.map(({ stamp }) => stamp) }).toEqual({
      crumbs: 0,
      signals: [null],
    })
  })

  it('stays as it is without earlier attempts, and in a trace that the last attempt shares', () => {
    const evidence = arrived(...came)
    expect(withoutAttempts(evidence, new Set())).toBe(evidence)
    const sharing = arrived(...came, { body: eventOf({ event_id: '5'.repeat(32) }), stamp: 'second' })
    expect(sharing.events[0]?.traceId).toBe(TRACE)
    expect(withoutAttempts(sharing, new Set(['first'])).events.map(({ eventId }) => eventId[0])).toEqual([
      '2',
      '3',
      '4',
      '5',
    ])
  })

  it('is not lost for the run, nor pending', () => {
    const row = ledgerRowOf({ category: 'error', made: 9, pending: 3 })
    const lost = { by: 'sdk', reason: 'queue_overflow', category: 'error' } as const
    const dead = { category: 'error', status: 400 }
    const total = lossesOf({
      categories: [row, ledgerRowOf({ category: 'span', made: 1, accepted: 1 })],
      losses: [{ ...lost, quantity: 4 }],
      deadLetters: [{ ...dead, quantity: 1 }],
    })
    const own = (quantity: number) =>
      new Map([
        [
          'first',
          lossesOf({ categories: [row], losses: [{ ...lost, quantity }], deadLetters: [{ ...dead, quantity: 1 }] }),
        ],
      ])
    expect(noLoss(withoutAttemptLosses(total, new Set(['first']), own(4))).verdict.verdict).toBe('pass')
    expect(noLoss(withoutAttemptLosses(total, new Set(['first']), own(3))).verdict).toMatchObject({
      findings: [{ actual: expect.stringMatching(/^1 discarded by the SDK/) }],
    })
    expect(withoutAttemptLosses(total, new Set(['unknown']), own(4))).toBe(total)
  })
})
