import { describe, expect, it } from 'vitest'
import { limitLines } from '../../../dashboards/limits/limit-lines'
import { pageVerdictText, shortPage, violationsHref } from '../../../dashboards/limits/page-limits'
import { formatLeft, formatWhen } from '../../../dashboards/ui/times'
import { type Limit, limitSchema, type PageLimit } from '../../../lib/wire/limits'
import { pageLimitOf } from './status-samples'

const NOW = 100_000

const limit = (over: Partial<Limit>): Limit =>
  limitSchema.parse({
    upstream: 'o1.ingest.sentry.io/2',
    category: 'transaction',
    receivedAt: 90_000,
    until: 105_000,
    reason: 'usage_exceeded',
    scope: 'organization',
    sourceSeq: 7,
    cut: 3,
    ...over,
  })

it.each([
  [NOW + 61_000, '1 min 1 s'],
  [NOW + 5000, '5 s'],
  [NOW + 4001, '5 s'],
  [NOW + 1, '1 s'],
  [NOW, null],
  [NOW - 60_000, null],
])('a countdown to %i shows %s', (until, left) => {
  expect(formatLeft(until, NOW)).toBe(left)
})

it('a countdown shows now when the time has passed or is unknown', () => {
  expect([formatWhen(NOW + 2000, NOW), formatWhen(NOW, NOW), formatWhen(null, NOW)]).toEqual(['in 2 s', 'now', 'now'])
})

describe('a limit in force', () => {
  it('shows time left, scope, reason and cut items', () => {
    const { running, over } = limitLines({ limits: [limit({})], ended: [] }, NOW)
    expect(over).toEqual([])
    expect(running).toMatchObject([
      { left: '5 s', by: 'organization of o1.ingest.sentry.io/2', why: 'usage exceeded', cut: '3 transactions' },
    ])
  })

  it('a limit without scope, reason or cut items says so', () => {
    const [line] = limitLines({ limits: [limit({ scope: null, reason: null, cut: 0 })], ended: [] }, NOW).running
    expect(line).toMatchObject({ by: 'o1.ingest.sentry.io/2', why: 'not given', cut: 'nothing' })
  })

  it('a limit on all categories cuts items', () => {
    expect(limitLines({ limits: [limit({ category: 'all', cut: 1 })], ended: [] }, NOW).running[0]?.cut).toBe('1 item')
  })

  it('links to the affected envelopes up to its end', () => {
    const hrefs = (over: Partial<Limit>) => {
      const { running, over: ended } = limitLines({ limits: [limit(over)], ended: [] }, NOW)
      return [...running, ...ended].map(({ cutHref }) => cutHref)
    }
    expect(hrefs({})).toEqual(['/deliveries?delivery=rate_limited&type=transaction'])
    expect(hrefs({ category: 'error' })).toEqual(['/deliveries?delivery=rate_limited&type=event'])
    expect(hrefs({ category: 'metric' })).toEqual(['/deliveries?delivery=rate_limited'])
    expect(hrefs({ category: 'all' })).toEqual(['/deliveries?delivery=rate_limited'])
    expect(hrefs({ category: 'replay' })).toEqual(['/deliveries?delivery=rate_limited'])
    expect(hrefs({ cut: 0 })).toEqual([null])
    expect(hrefs({ until: 99_000 })).toEqual([
      '/deliveries?delivery=rate_limited&type=transaction&until=1970-01-01T00%3A01%3A39.000Z',
    ])
  })

  it('shows the words of upstream as text', () => {
    const [line] = limitLines({ limits: [limit({ reason: 'a\u202eb', scope: '\u0007' })], ended: [] }, NOW).running
    expect([line?.why, line?.by]).toEqual(['a⟨U+202E⟩b', '␇ of o1.ingest.sentry.io/2'])
  })

  it('the limit with the latest end comes first', () => {
    const limits = [limit({ category: 'span', until: NOW + 1 }), limit({ category: 'error', until: NOW + 9000 })]
    expect(limitLines({ limits, ended: [] }, NOW).running.map(({ limit: { category } }) => category)).toEqual([
      'error',
      'span',
    ])
  })
})

it('a limit that ended after it was read counts as ended and comes before those that ended earlier', () => {
  const ended = [limit({ category: 'error', until: 50_000 })]
  const { running, over } = limitLines({ limits: [limit({ until: NOW })], ended }, NOW)
  expect(running).toEqual([])
  expect(over.map(({ limit: { category }, left }) => [category, left])).toEqual([
    ['transaction', null],
    ['error', null],
  ])
})

describe('whether a page obeyed', () => {
  const page = (over: Partial<PageLimit>): PageLimit =>
    pageLimitOf({ page: '0123456789abcdef', sentAt: 96_000, until: 104_000, verdict: 'waiting', ...over })

  it('is open while the limit is in force and nothing arrived', () => {
    expect(pageVerdictText(page({}), NOW)).toEqual({
      word: 'waiting',
      tone: 'open',
      meanwhile: { text: 'nothing so far, 4 s left', seq: null },
      afterwards: null,
    })
  })

  it('is violated when a limited item arrived after the limit was sent', () => {
    const violated = { seq: 15, at: 96_340, afterMs: 340 }
    expect(pageVerdictText(page({ violated, verdict: 'violated' }), NOW)).toEqual({
      word: 'violated',
      tone: 'bad',
      meanwhile: { text: 'the first 340 ms after it was sent', seq: 15 },
      afterwards: null,
    })
  })

  it('links to all envelopes of a violation', () => {
    expect(violationsHref(page({ category: 'transaction' }), 96_340)).toBe(
      '/envelopes?page=0123456789abcdef&type=transaction&since=1970-01-01T00%3A01%3A36.340Z&until=1970-01-01T00%3A01%3A44.000Z&own=show',
    )
  })

  it('is obeyed when nothing arrived before the end; the first envelope afterwards is named', () => {
    const resumed = { seq: 21, at: 105_500, afterMs: 1500 }
    expect(pageVerdictText(page({ resumed, verdict: 'obeyed' }), 200_000)).toEqual({
      word: 'obeyed',
      tone: 'good',
      meanwhile: { text: 'nothing', seq: null },
      afterwards: { text: 'the first 1.50 s after its end', seq: 21 },
    })
    expect(pageVerdictText(page({ verdict: 'obeyed' }), 200_000).afterwards).toEqual({
      text: 'nothing yet',
      seq: null,
    })
  })

  it('names a page by the beginning of its id', () => {
    expect(shortPage(page({}).page)).toBe('01234567…')
    expect(shortPage('badpage22')).toBe('badpage22')
  })
})
