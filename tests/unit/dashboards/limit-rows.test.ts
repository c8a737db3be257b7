import { describe, expect, it } from 'vitest'
import { aheadOf, limitRows, lineOf } from '../../../dashboards/limits/limit-rows'
import type { Limit, PageLimit } from '../../../lib/wire/limits'

const NOW = 1_000_000
const window = { startMs: 0, endMs: NOW }

const limit = (over: Partial<Limit>): Limit => ({
  upstream: 'upstream/1',
  category: 'error',
  receivedAt: 100_000,
  until: 160_000,
  reason: null,
  scope: null,
  sourceSeq: null,
  cut: 0,
  ...over,
})

const page = (over: Partial<PageLimit>): PageLimit => ({
  page: 'p1',
  upstream: 'upstream/1',
  category: 'error',
  sentAt: 110_000,
  until: 160_000,
  sentWith: 1,
  violated: null,
  resumed: null,
  verdict: 'obeyed',
  ...over,
})

const rowsOf = (limits: readonly Limit[], ended: readonly Limit[], pages: readonly PageLimit[] = []) =>
  limitRows({ limits: [...limits], ended: [...ended], pages: [...pages] }, window, NOW)

describe('the rows of limits', () => {
  it('have all periods of a category of one upstream, those in force first', () => {
    const rows = rowsOf(
      [limit({ category: 'span', receivedAt: 990_000, until: 1_050_000 })],
      [limit({ receivedAt: 500_000, until: 560_000 }), limit({}), limit({ upstream: 'other/2' })],
    )
    expect(
      rows.map(({ upstream, category, periods, untilMs }) => [upstream, category, periods.length, untilMs]),
    ).toEqual([
      ['upstream/1', 'span', 1, 1_050_000],
      ['upstream/1', 'error', 2, null],
      ['other/2', 'error', 1, null],
    ])
    expect(rows[1]?.periods.map(({ fromMs }) => fromMs)).toEqual([100_000, 500_000])
  })

  it('leave out periods and categories outside the window', () => {
    expect(rowsOf([], [limit({ receivedAt: -90_000, until: -30_000 })])).toEqual([])
  })

  it('mark what pages were sent and sent, and whether they obeyed', () => {
    const pages = [
      page({ resumed: { seq: 3, at: 300_000, afterMs: 140_000 } }),
      page({ page: 'p2', verdict: 'violated', violated: { seq: 2, at: 130_000, afterMs: 20_000 } }),
      page({ page: 'p3', category: 'span' }),
    ]
    expect(rowsOf([], [limit({})], pages)[0]?.marks).toEqual([
      { kind: 'violated', atMs: 130_000, pages: { violated: 1 } },
      { kind: 'obeyed', atMs: 160_000, pages: { obeyed: 1 } },
      { kind: 'sent', atMs: 110_000, pages: { sent: 2 } },
      { kind: 'resumed', atMs: 300_000, pages: { resumed: 1 } },
    ])
  })

  it('do not call a page obedient before the limit ends', () => {
    const running = limit({ receivedAt: 990_000, until: 1_050_000 })
    const waiting = page({ sentAt: 991_000, until: 1_050_000, verdict: 'waiting' })
    expect(rowsOf([running], [], [waiting])[0]?.marks.map(({ kind }) => kind)).toEqual(['sent'])
  })

  it('merge marks that would touch, and show the one that matters more', () => {
    const pages = [
      page({ until: 140_000 }),
      page({ page: 'p2', verdict: 'violated', violated: { seq: 2, at: 150_000, afterMs: 40_000 } }),
    ]
    expect(rowsOf([], [limit({})], pages)[0]?.marks[0]).toEqual({
      kind: 'violated',
      atMs: 140_000,
      pages: { obeyed: 1, violated: 1 },
    })
    expect([lineOf('violated'), lineOf('sent')]).toEqual([0, 1])
  })
})

describe('the time beyond the present', () => {
  it('reaches a little past the last end of a limit, at most a quarter of the range', () => {
    expect(aheadOf([{ until: NOW + 1000 }, { until: NOW - 5 }], NOW, 60_000)).toBeCloseTo(1100)
    expect(aheadOf([{ until: NOW + 1_000_000 }], NOW, 60_000)).toBe(15_000)
    expect(aheadOf([], NOW, 60_000)).toBe(0)
  })
})
