import { describe, expect, it } from 'vitest'
import { createActiveLimits, createLimitsNow } from '../../../collector/api/overview'
import { RateLimits } from '../../../collector/relay/running-limits'
import type { LimitHistory, LimitPeriod, PageLimitRow } from '../../../collector/spool/read/read-limits'
import type { StoredLimit } from '../../../collector/spool/submission'
import { limitsNowSchema } from '../../../lib/wire/limits'

const NOW = 1_700_000_000_000

const period = (category: string, from: number, to: number, more: Partial<LimitPeriod> = {}): LimitPeriod => ({
  publicKey: 'key',
  project: '1',
  category,
  scope: 'key',
  reason: 'quota',
  sourceSeq: 3,
  receivedAt: NOW + from * 1000,
  until: NOW + to * 1000,
  cut: 0,
  ...more,
})

const page = (more: Partial<PageLimitRow> = {}): PageLimitRow => ({
  publicKey: 'key',
  project: '1',
  page: 'p1',
  category: 'span',
  sentAt: NOW - 10_000,
  until: NOW + 10_000,
  sentWith: 7,
  violatedSeq: null,
  violatedAt: null,
  resumedSeq: null,
  resumedAt: null,
  ...more,
})

/** The answer of `/query/limits` with these active limits. */
async function limitsNow(history: Partial<LimitHistory>, running: readonly StoredLimit[] = []) {
  const answer = await createLimitsNow({
    relay: { upstreamFor: ({ projectId }) => (projectId === '1' ? { label: 'sentry.test/1' } : undefined) },
    rateLimits: new RateLimits(running, { now: () => NOW, monotonic: () => 0 }),
    record: { limitHistory: async () => ({ periods: [], pages: [], unnamed: 0, ...history }) },
    passLimits: true,
    holdErrors: false,
    now: () => NOW,
  })()
  expect(limitsNowSchema.parse(answer)).toEqual(answer)
  return answer
}

describe('an active limit', () => {
  it('has its first receipt, its source and its cut count, and the end that is in memory', async () => {
    const running = { ...period('span', -5, 55), until: NOW + 54_000 }
    const { limits, ended } = await limitsNow({ periods: [period('span', -60, 55, { cut: 9 })] }, [running])
    expect(limits).toEqual([
      {
        upstream: 'sentry.test/1',
        category: 'span',
        receivedAt: NOW - 60_000,
        until: NOW + 54_000,
        reason: 'quota',
        scope: 'key',
        sourceSeq: 3,
        cut: 9,
      },
    ])
    expect(ended).toEqual([])
  })

  it('is listed before it is recorded, with the project id when the project is not configured', async () => {
    const running = period('span', 0, 60, { project: '2' })
    expect((await limitsNow({}, [running])).limits).toMatchObject([{ upstream: '2', cut: 0, until: NOW + 60_000 }])
  })
})

describe('createActiveLimits', () => {
  const counting = (running: readonly StoredLimit[]) => {
    let reads = 0
    const active = createActiveLimits({
      relay: { upstreamFor: () => undefined },
      rateLimits: new RateLimits(running, { now: () => NOW, monotonic: () => 0 }),
      record: {
        limitHistory: async () => {
          reads += 1
          return { periods: [period('span', -1, 60, { cut: 2 })], pages: [], unnamed: 0 }
        },
      },
      passLimits: true,
      holdErrors: false,
      now: () => NOW,
    })
    return { active, reads: () => reads }
  }

  it('returns active limits', async () => {
    expect(await counting([period('span', -1, 60)]).active()).toMatchObject([
      { category: 'span', cut: 2, upstream: '1' },
    ])
  })

  it('reads nothing while no limit is active', async () => {
    const { active, reads } = counting([])
    expect(await active()).toEqual([])
    expect(reads()).toBe(0)
  })
})

it('ended limits are sorted by their end, newest first, and at most 50', async () => {
  const periods = Array.from({ length: 60 }, (_, n) => period('error', -100, n - 60))
  const { limits, ended } = await limitsNow({ periods: [period('span', -1, 60), ...periods] }, [period('span', -1, 60)])
  expect(limits).toHaveLength(1)
  expect(ended).toHaveLength(50)
  expect(ended[0]?.until).toBe(NOW - 1000)
  expect(ended.every(({ category }) => category === 'error')).toBe(true)
})

it('ended limits end now at the latest, even after the clock was set back', async () => {
  expect((await limitsNow({ periods: [period('span', -1, 86_400)] })).ended).toMatchObject([{ until: NOW }])
})

it('ended limits are listed separately from an active limit of the same category', async () => {
  const periods = [period('span', -5, 60), period('span', -100, -50, { cut: 4 })]
  const { limits, ended } = await limitsNow({ periods: periods }, [period('span', -5, 60)])
  expect(limits).toMatchObject([{ receivedAt: NOW - 5000 }])
  expect(ended).toMatchObject([{ cut: 4 }])
})

it.each<[string, Partial<PageLimitRow>, string]>([
  ['waits while the limit is active and nothing arrived', {}, 'waiting'],
  ['obeyed when nothing arrived until its end', { until: NOW }, 'obeyed'],
  ['violated it while it is active', { violatedSeq: 9, violatedAt: NOW - 4000 }, 'violated'],
  ['violated it, also after its end', { until: NOW - 1, violatedSeq: 9, violatedAt: NOW - 4000 }, 'violated'],
  ['obeyed and resumed', { until: NOW - 1, resumedSeq: 9, resumedAt: NOW }, 'obeyed'],
])('a page that was sent a limit %s', async (_what, row, verdict) => {
  expect((await limitsNow({ pages: [page(row)] })).pages).toMatchObject([{ upstream: 'sentry.test/1', verdict }])
})

it('a page that was sent a limit has the time from sending to violation, and from the end to resuming', async () => {
  const row = page({ until: NOW - 1000, violatedSeq: 8, violatedAt: NOW - 4000, resumedSeq: 9, resumedAt: NOW - 100 })
  expect(await limitsNow({ pages: [row], unnamed: 3 })).toMatchObject({
    unnamed: 3,
    pages: [{ violated: { seq: 8, at: NOW - 4000, afterMs: 6000 }, resumed: { seq: 9, at: NOW - 100, afterMs: 900 } }],
  })
})
