import { describe, expect, it } from 'vitest'
import { createActiveLimits, createLimitsNow } from '../../../collector/http/limits-now'
import type { LimitHistory, LimitPeriod, PageLimitRow } from '../../../collector/index/read-limits'
import { RateLimits } from '../../../collector/relay/rate-limits'
import type { StoredLimit } from '../../../collector/spool/submission'
import { limitsNowSchema } from '../../../lib/wire/limits'

const NOW = 1_700_000_000_000

const spell = (category: string, from: number, to: number, more: Partial<LimitPeriod> = {}): LimitPeriod => ({
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

/** The answer to somebody who asks now, where these limits run. */
async function limitsNow(history: Partial<LimitHistory>, running: readonly StoredLimit[] = []) {
  const answer = await createLimitsNow({
    relay: { upstreamFor: ({ projectId }) => (projectId === '1' ? { label: 'sentry.test/1' } : undefined) },
    limits: new RateLimits(running, { now: () => NOW, monotonic: () => 0 }),
    reader: { limitHistory: async () => ({ periods: [], pages: [], unnamed: 0, ...history }) },
    passLimits: true,
    holdErrors: false,
    now: () => NOW,
  })()
  expect(limitsNowSchema.parse(answer)).toEqual(answer)
  return answer
}

describe('a limit that runs', () => {
  it('is told with when it was told first, who told it and what was cut, and ends as the book says', async () => {
    const running = { ...spell('span', -5, 55), until: NOW + 54_000 }
    const { limits, ended } = await limitsNow({ periods: [spell('span', -60, 55, { cut: 9 })] }, [running])
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

  it('is told also where nothing is on record of it yet, and by its project where that is not configured', async () => {
    const running = spell('span', 0, 60, { project: '2' })
    expect((await limitsNow({}, [running])).limits).toMatchObject([{ upstream: '2', cut: 0, until: NOW + 60_000 }])
  })
})

describe('what every page asks for', () => {
  const asking = (running: readonly StoredLimit[]) => {
    let asked = 0
    const active = createActiveLimits({
      relay: { upstreamFor: () => undefined },
      limits: new RateLimits(running, { now: () => NOW, monotonic: () => 0 }),
      reader: {
        limitHistory: async () => {
          asked += 1
          return { periods: [spell('span', -1, 60, { cut: 2 })], pages: [], unnamed: 0 }
        },
      },
      passLimits: true,
      holdErrors: false,
      now: () => NOW,
    })
    return { active, asked: () => asked }
  }

  it('is what runs', async () => {
    expect(await asking([spell('span', -1, 60)]).active()).toMatchObject([{ category: 'span', cut: 2, upstream: '1' }])
  })

  it('reads nothing while nothing runs', async () => {
    const { active, asked } = asking([])
    expect(await active()).toEqual([])
    expect(asked()).toBe(0)
  })
})

describe('limits that ended', () => {
  it('are told by their end, the last one first, without what runs, the last 50', async () => {
    const spells = Array.from({ length: 60 }, (_, n) => spell('error', -100, n - 60))
    const { limits, ended } = await limitsNow({ periods: [spell('span', -1, 60), ...spells] }, [spell('span', -1, 60)])
    expect(limits).toHaveLength(1)
    expect(ended).toHaveLength(50)
    expect(ended[0]?.until).toBe(NOW - 1000)
    expect(ended.every(({ category }) => category === 'error')).toBe(true)
  })

  it('end now at the latest, whatever a clock that was set since makes of them', async () => {
    expect((await limitsNow({ periods: [spell('span', -1, 86_400)] })).ended).toMatchObject([{ until: NOW }])
  })

  it('are told beside the stretch that runs of the same category', async () => {
    const spells = [spell('span', -5, 60), spell('span', -100, -50, { cut: 4 })]
    const { limits, ended } = await limitsNow({ periods: spells }, [spell('span', -5, 60)])
    expect(limits).toMatchObject([{ receivedAt: NOW - 5000 }])
    expect(ended).toMatchObject([{ cut: 4 }])
  })
})

describe('a page', () => {
  it.each<[string, Partial<PageLimitRow>, string]>([
    ['waits while the limit runs and nothing came', {}, 'waiting'],
    ['obeyed when it ended and nothing had come', { until: NOW }, 'obeyed'],
    ['broke it while it runs', { violatedSeq: 9, violatedAt: NOW - 4000 }, 'violated'],
    ['broke it also when it has ended', { until: NOW - 1, violatedSeq: 9, violatedAt: NOW - 4000 }, 'violated'],
    ['obeyed and resumed', { until: NOW - 1, resumedSeq: 9, resumedAt: NOW }, 'obeyed'],
  ])('%s', async (_what, row, verdict) => {
    expect((await limitsNow({ pages: [page(row)] })).pages).toMatchObject([{ upstream: 'sentry.test/1', verdict }])
  })

  it('is told with how long after it was told it broke, and how long after the end it resumed', async () => {
    const row = page({ until: NOW - 1000, violatedSeq: 8, violatedAt: NOW - 4000, resumedSeq: 9, resumedAt: NOW - 100 })
    expect(await limitsNow({ pages: [row], unnamed: 3 })).toMatchObject({
      unnamed: 3,
      pages: [
        { violated: { seq: 8, at: NOW - 4000, afterMs: 6000 }, resumed: { seq: 9, at: NOW - 100, afterMs: 900 } },
      ],
    })
  })
})
