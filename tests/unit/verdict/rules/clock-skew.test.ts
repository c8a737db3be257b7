import { describe, expect, it } from 'vitest'
import { evaluate } from '../../../../lib/verdict/expectations/evaluate'
import { clockSkewRule } from '../../../../lib/verdict/rules/clock-skew'
import {
  BEGIN_S,
  type Came,
  caseFrom,
  clientReportOf,
  containerOf,
  drawn,
  eventOf,
  failing,
  failingWith,
  TRACE,
  transactionOf,
} from './sample-evidence'

const judge = (...came: readonly Came[]) => clockSkewRule.judge(caseFrom(...came))
const PAGE = drawn(`
  pageload /cart           ==========
    http.client GET /api     ===
`)
/** In browser time the server span begins 300 ms after the page. */
const SERVER = drawn('http.server GET /api  ==')
const CALL = '0000000000000002'
const served = (aheadMs: number, op = 'http.server'): string =>
  containerOf(
    SERVER.map((span) => ({ ...span, op })),
    { service: 'server', ids: '5', parentSpanId: CALL, aheadMs },
  )

describe('the clock-skew rule with spans of two services', () => {
  it('passes for a child within its parent', () => {
    expect(judge(transactionOf(PAGE), served(300))).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('passes for a child that begins up to 1 s early', () => {
    expect(judge(transactionOf(PAGE), served(-800))).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('passes for a child that ends after its parent', () => {
    expect(judge(transactionOf(PAGE), served(450))).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('fails for a child that begins before its parent', () => {
    expect(judge(transactionOf(PAGE), served(-1300))).toEqual(
      failing(2, {
        about: 'http.server GET /api of server, below http.client GET /api of browser',
        at: { seq: 2, item: 0, traceId: TRACE, spanId: '5000000000000001' },
        path: 'start_timestamp',
        actual: '1.5 s before its parent began',
        expected: 'a start within its parent, ± 1 s',
        isMinor: true,
      }),
    )
  })

  it('fails for a server span that begins after its call ended', () => {
    expect(judge(transactionOf(PAGE), served(2500))).toMatchObject({
      verdict: 'fail',
      findings: [{ actual: '2 s after its parent ended' }],
    })
  })

  it('passes for a queue consumer that begins later', () => {
    expect(judge(transactionOf(PAGE), served(1500, 'queue.process'))).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('ignores children of the same service', () => {
    const own = containerOf(SERVER, { ids: '5', parentSpanId: CALL, aheadMs: -500 })
    expect(judge(transactionOf(PAGE), own)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('ignores copies', () => {
    const copyOf = (body: string) => ({ body, endpoint: 'stream' as const })
    expect(judge(copyOf(transactionOf(PAGE)), served(-500)).verdict).toBe('pass')
    expect(judge(transactionOf(PAGE), copyOf(served(-500))).verdict).toBe('pass')
  })

  it('ignores the pageload that the parent answered', () => {
    const server = containerOf(SERVER, { service: 'server', ids: '5', aheadMs: 700 })
    const page = transactionOf(PAGE, { parentSpanId: '5000000000000001' })
    expect(judge(server, page)).toEqual({ verdict: 'pass', judged: 2 })
  })
})

describe('the clock-skew rule with timestamps of senders', () => {
  it.each([
    ['a transaction', transactionOf(PAGE, { aheadMs: 20_000 }), 'pageload /cart of browser', 'timestamp', '20 s'],
    ['a container', containerOf(PAGE, { aheadMs: 20_000 }), 'pageload /cart of browser', 'end_timestamp', '20 s'],
    ['an event', eventOf({ timestamp: BEGIN_S + 601 }), 'Error: boom of browser', 'timestamp', '10 min'],
    [
      'an event of a named host',
      eventOf({ timestamp: BEGIN_S + 601, server_name: 'web-1', platform: 'node' }),
      'Error: boom of server on web-1',
      'timestamp',
      '10 min',
    ],
  ])('fails for %s in the future', (_, body, about, path, ahead) => {
    expect(judge(body)).toMatchObject({
      verdict: 'fail',
      judged: 1,
      findings: [
        { about, path, actual: `${ahead} after it was received`, expected: 'at most 5 s after it was received' },
      ],
    })
  })

  it('ignores copies', () => {
    const ahead = { timestamp: BEGIN_S + 601 }
    const header = { sent_at: new Date((BEGIN_S + 601) * 1000).toISOString() }
    const copies = [eventOf(ahead), transactionOf(PAGE, { aheadMs: 20_000, header })]
    expect(judge(eventOf(), ...copies.map((body) => ({ body, endpoint: 'stream' as const })))).toEqual({
      verdict: 'pass',
      judged: 1,
    })
  })

  const sent = (seconds: number): string =>
    transactionOf(PAGE, { header: { sent_at: new Date((BEGIN_S + 1 + seconds) * 1000).toISOString() } })

  it.each([-600, 0, 5])('passes for an envelope sent %i s after its arrival', (seconds) => {
    expect(judge(sent(seconds))).toEqual({ verdict: 'pass', judged: 2 })
  })

  it.each([
    [-1800, '30 min before it was received', 'at most 10 min before it was received'],
    [60, '1 min after it was received', 'at most 5 s after it was received'],
  ])('fails for an envelope sent %i s after its arrival', (seconds, actual, expected) => {
    expect(judge(sent(seconds))).toMatchObject({
      verdict: 'fail',
      judged: 2,
      findings: [
        {
          about: 'the header of envelope 1 of browser',
          at: { seq: 1, item: -1 },
          path: 'header.sent_at',
          actual,
          expected,
        },
      ],
    })
  })

  it('leaves out the time that the tunnel kept an envelope', () => {
    const day = 24 * 3600
    const kept = (keptMs: number) => judge({ body: sent(-day), keptMs, receivedAt: (BEGIN_S + 1) * 1000 }).verdict
    expect([kept(day * 1000), kept((day - 500) * 1000), kept((day - 700) * 1000)]).toEqual(['pass', 'pass', 'fail'])
  })

  it.each([
    ['10 min', 600, undefined],
    ['less than 10 min', 599, true],
  ])('fails a check for a clock that is %s ahead, else warns', (_, seconds, isMinor) => {
    const verdict = judge(sent(seconds))
    expect(verdict).toMatchObject({ verdict: 'fail', findings: [{ path: 'header.sent_at' }] })
    expect(verdict.verdict === 'fail' && verdict.findings[0]?.isMinor).toBe(isMinor)
  })

  it('reports a span that starts in 1970 by its name, as a warning', () => {
    const loading = PAGE.map((span, index) =>
      index === 0 ? span : { ...span, name: 'loading', startMs: 40_000 - BEGIN_S * 1000 },
    )
    const verdict = judge(transactionOf(loading), containerOf(loading, { ids: '3' }))
    expect(verdict).toMatchObject(
      failingWith({
        about: 'http.client loading of browser',
        at: { seq: 1, spanId: CALL },
        path: 'start_timestamp',
        actual: '1970-01-01T00:00:40.000Z, and 1 more span of that name',
        isMinor: true,
      }),
    )
    const report = evaluate(caseFrom(transactionOf(loading)), { losses: null, gaps: [], now: 0 })
    expect(report.judged.find(({ id }) => id === 'clock-skew')?.severity).toBe('warning')
    expect(report.verdict).toBe('pass')
  })

  it('ignores a span of a framework that starts in 1970', () => {
    const loading = PAGE.map((span, index) =>
      index === 0 ? span : { ...span, name: 'loading', startMs: 40_000 - BEGIN_S * 1000 },
    )
    const attributes = { loading: { 'sentry.origin': 'auto' } }
    expect(judge(containerOf(loading, { attributes }))).toMatchObject({ verdict: 'pass' })
    expect(judge(containerOf(loading))).toMatchObject({ verdict: 'fail' })
  })

  it('is incomplete without timestamps', () => {
    expect(judge(clientReportOf(['queue_overflow', 'error', 1]))).toEqual({
      verdict: 'incomplete',
      why: 'Nothing with a sender’s timestamp was recorded.',
    })
  })
})
