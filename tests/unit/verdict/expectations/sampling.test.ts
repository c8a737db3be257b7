import { describe, expect, it } from 'vitest'
import { judgeSampling } from '../../../../lib/verdict/expectations/sampling'
import { type Came, clientReportOf, containerOf, drawn, evidenceOf, transactionOf } from '../rules/sample-evidence'

const trace = (index: number): string => String(index + 1).padStart(32, 'c')
/** Page loads of different traces; with a rate the SDK names it, as SDK 11 does for a decision of its own. */
const pages = (count: number, rate?: number): readonly string[] =>
  Array.from({ length: count }, (_, index) =>
    containerOf(drawn('pageload /cart  ===='), {
      traceId: trace(index),
      ...(rate !== undefined && { attributes: { '/cart': { 'sentry.sample_rate': rate } } }),
    }),
  )
const requests = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) =>
    transactionOf(drawn('http.server GET /  ===='), { service: 'server', traceId: trace(index) }),
  )
const leftOut = (transactions: number, category = 'transaction') => ({
  body: clientReportOf(['sample_rate', category, transactions]),
  origin: 'http://localhost:3000',
})
const direct = (body: string) => ({ body, endpoint: 'envelope' as const })

/** `pass`, `incomplete`, or the findings, with `minor:` for those that only warn. */
function judged(came: readonly Came[], rate: number, service = 'browser') {
  const verdict = judgeSampling(evidenceOf(...came), service, rate)
  if (verdict.verdict !== 'fail') return verdict.verdict
  return verdict.findings.map(({ actual, isMinor }) => `${isMinor ? 'minor: ' : ''}${actual}`)
}

describe('a stated sample rate', () => {
  it('a rate of 1 passes without discards, and fails for a client report', () => {
    expect(judged(pages(3), 1)).toBe('pass')
    expect(judged([...pages(3), leftOut(2)], 1)).toEqual([
      '2 transactions sampled out by client reports: is tracesSampleRate below 1?',
    ])
    expect(judged([...pages(3), leftOut(7, 'span')], 1)).toEqual([
      '7 spans sampled out by client reports: is tracesSampleRate below 1?',
    ])
  })

  it('fails for segments that name another rate, without client reports', () => {
    expect(judged(pages(2, 1), 1)).toBe('pass')
    expect(judged(pages(2, 0.5), 0.5)).toBe('pass')
    expect(judged([...pages(1, 1), ...pages(2, 0.5)], 1)).toEqual(['sampled with rate 0.5, as 1 other'])
    expect(judged(pages(2, 1), 0)).toEqual(['sampled with rate 1, as 1 other'])
  })

  it('between 0 and 1 passes for a likely share of client reports, and fails for an unlikely one', () => {
    expect(judged([...pages(20), leftOut(24)], 0.5)).toBe('pass')
    expect(judged([...pages(30), leftOut(2)], 0.5)).toEqual([
      '30 of 32 arrived, the others sampled out by client reports',
    ])
    expect(judged([...pages(1), leftOut(1)], 0.1)).toBe('pass')
    expect(judged([leftOut(1)], 0.5)).toBe('pass')
    expect(judged([...pages(1), leftOut(60)], 0.5)).toHaveLength(1)
  })

  it('between 0 and 1 only warns by numbers alone', () => {
    expect(judged(pages(5), 0.5)).toBe('pass')
    expect(judged(pages(20), 0.5)).toEqual(['minor: 20 arrived, and no client report counts others: is the rate 1?'])
    expect(judged(pages(20, 0.5), 0.5)).toBe('pass')
    expect(judged([leftOut(9, 'span')], 0.5)).toEqual(['minor: none arrived, 9 spans sampled out by client reports'])
  })

  it('a rate of 0 fails for each segment that arrived', () => {
    expect(judged([leftOut(3)], 0)).toBe('pass')
    expect(judged(pages(2), 0)).toEqual(['2 arrived'])
  })

  it('is incomplete if neither segments nor client reports of the service arrived', () => {
    expect(judged(requests(2), 1)).toBe('incomplete')
    expect(judged([], 0.5)).toBe('incomplete')
    expect(judged([{ body: pages(1)[0] ?? '', endpoint: 'stream' }], 1)).toBe('incomplete')
  })

  it('the rate of a server ignores the requests of its own tunnel, one for each post', () => {
    const report = direct(clientReportOf(['sample_rate', 'transaction', 3]))
    const posts = pages(2)
    expect(judged([...requests(2).map(direct), ...posts, report], 1, 'server')).toEqual([
      '1 transaction sampled out by client reports: is tracesSampleRate below 1?',
    ])
    expect(judged([...requests(2).map(direct), ...posts, ...pages(1), report], 1, 'server')).toBe('pass')
  })

  it('the rate of a server does not count segments that continue a trace, which its sender sampled', () => {
    const continued = transactionOf(drawn('http.server GET /  ===='), {
      service: 'server',
      parentSpanId: 'b'.repeat(16),
    })
    expect(judged([direct(continued)], 0, 'server')).toBe('incomplete')
    expect(judged(requests(1).map(direct), 0, 'server')).toEqual(['1 arrived'])
  })
})
