import { describe, expect, it } from 'vitest'
import {
  answerOf,
  BINS,
  binsOf,
  countsText,
  MOST_ATTEMPTS,
  type PlottedAttempt,
  totalOf,
  unreadText,
  WAIT_ROWS,
  waitsOf,
  withOlder,
  withPage,
} from '../../../dashboards/deliveries/plotted-attempts'
import { readAttempts } from '../../../dashboards/deliveries/use-attempts'
import { readOlder } from '../../../dashboards/deliveries/use-plotted-attempts'

const attempt = (over: Partial<PlottedAttempt> = {}): PlottedAttempt => ({
  id: 1,
  seq: 1,
  attempt: 1,
  upstream: 'upstream/1',
  startedAt: 1000,
  endedAt: 1010,
  status: 200,
  error: null,
  sha256: 'hash',
  answer: null,
  ...over,
})

describe('the answer of an attempt', () => {
  it.each([
    [200, 'accepted'],
    [202, 'accepted'],
    [302, 'refused'],
    [401, 'refused'],
    [408, 'failed'],
    [413, 'refused'],
    [429, 'limited'],
    [500, 'failed'],
    [503, 'failed'],
    [null, 'failed'],
  ] as const)('%s is %s', (status, answer) => {
    expect(answerOf(attempt({ status }))).toBe(answer)
  })

  it('is refused for a damaged record, which was not posted', () => {
    expect(answerOf(attempt({ status: null, sha256: '' }))).toBe('refused')
  })
})

describe('the known attempts', () => {
  const ids = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => ({ id: from - at }))

  it('keep what is older than a page of newer ones', () => {
    expect(withPage(ids(5, 1), ids(7, 4), 'more').map(({ id }) => id)).toEqual([7, 6, 5, 4, 3, 2, 1])
  })

  it('lose what a page with their ids misses, and everything that is older than the last page', () => {
    expect(withPage(ids(5, 1), [{ id: 7 }, { id: 3 }], 'more').map(({ id }) => id)).toEqual([7, 3, 2, 1])
    expect(withPage(ids(5, 1), [{ id: 7 }], null)).toEqual([{ id: 7 }])
    expect(withPage(ids(5, 1), [], null)).toEqual([])
  })

  it('are at most 1000', () => {
    const known = withPage(ids(1000, 1), ids(1100, 1001), 'more')
    expect([known.length, known[0]?.id]).toEqual([MOST_ATTEMPTS, 1100])
  })
})

describe('reading attempts', () => {
  const NOW = 10 * 3_600_000
  /** The newest `count` attempts, a second apart, in pages of 200. */
  const collector = (count: number) => {
    const cursors: (string | undefined)[] = []
    const readPage = async ({ limit, cursor }: { readonly limit: number; readonly cursor?: string }) => {
      cursors.push(cursor)
      const below = cursor === undefined ? count : Number(cursor) - 1
      const ids = Array.from({ length: Math.min(limit, below) }, (_, at) => below - at)
      const deliveries = ids.map((id) => attempt({ id, startedAt: NOW - (count - id) * 1000 }))
      return { deliveries, next: (ids.at(-1) ?? 1) > 1 ? String(ids.at(-1)) : null }
    }
    return { cursors, readPage }
  }

  it('ends at what is known, and keeps it', async () => {
    const first = await readAttempts(collector(300).readPage, null, NOW)
    expect([first.attempts.length, first.isCut]).toEqual([300, false])
    const { cursors, readPage } = collector(310)
    const second = await readAttempts(readPage, first, NOW)
    expect(cursors).toEqual([undefined])
    expect(second.attempts.map(({ id }) => id)).toEqual(Array.from({ length: 310 }, (_, at) => 310 - at))
  })

  it('reads all of them after a minute, without those that are gone', async () => {
    const first = await readAttempts(collector(300).readPage, null, NOW)
    const { readPage } = collector(310)
    const without = async (page: Parameters<typeof readPage>[0]) => {
      const { deliveries, next } = await readPage(page)
      return { deliveries: deliveries.filter(({ id }) => id !== 7), next }
    }
    const countAt = async (nowMs: number) => (await readAttempts(without, first, nowMs)).attempts.length
    expect([await countAt(NOW + 59_999), await countAt(NOW + 60_000)]).toEqual([310, 309])
  })

  it('ends an hour ago, and says when it ends before', async () => {
    const { cursors, readPage } = collector(5000)
    expect(await readAttempts(readPage, null, NOW + 3_500_000)).toMatchObject({
      attempts: { length: 200 },
      isCut: false,
    })
    expect(cursors).toHaveLength(1)
    expect(await readAttempts(readPage, null, NOW)).toMatchObject({ attempts: { length: 1000 }, isCut: true })
  })
})

describe('attempts before the newest ones', () => {
  const NOW = 10 * 3_600_000
  const pages = (...of: (readonly PlottedAttempt[])[]) => {
    const left = [...of]
    const readPage = async () => ({ deliveries: left.shift() ?? [], next: left.length === 0 ? null : 'more' })
    return { left, readPage }
  }
  const failed = (count: number, startedAt = NOW) =>
    Array.from({ length: count }, (_, at) => attempt({ id: 2000 - at, status: 500, startedAt: startedAt - at }))

  it('are read until an hour ago, or the end', async () => {
    const { left, readPage } = pages(failed(2), failed(1, NOW - 3_600_001), failed(1))
    expect(await readOlder(readPage, NOW, NOW)).toMatchObject({ attempts: { length: 3 }, since: 0 })
    expect(left).toHaveLength(1)
    expect(await readOlder(pages([]).readPage, NOW, NOW)).toEqual({ attempts: [], since: 0 })
  })

  it('are at most 1000 and ten pages, and say from when on they are whole', async () => {
    const many = Array.from({ length: 11 }, () => failed(200))
    expect(await readOlder(pages(...many).readPage, NOW, NOW)).toMatchObject({
      attempts: { length: MOST_ATTEMPTS },
      since: NOW - 199,
    })
    const { left, readPage } = pages(...Array.from({ length: 12 }, () => []))
    expect(await readOlder(readPage, NOW - 5, NOW)).toEqual({ attempts: [], since: NOW - 5 })
    expect(left).toHaveLength(2)
  })

  it('are added without accepted ones and those that are among the newest', () => {
    const older = [attempt({ id: 7, status: 500 }), attempt({ id: 5, status: 202 }), attempt({ id: 4, status: 429 })]
    const { attempts, since } = withOlder([attempt({ id: 8 }), attempt({ id: 7, startedAt: 900 })], older, 100)
    expect([attempts.map(({ id }) => id), since]).toEqual([[8, 7, 4], { accepted: 900, others: 100 }])
  })

  it('that are not read are named', () => {
    expect(unreadText({ accepted: 0, others: 0 }, 1)).toBe('')
    expect(unreadText({ accepted: 60_000, others: 0 }, 1)).toMatch(/^accepted ones before \d\d:01:00 are not read$/)
    expect(unreadText({ accepted: 60_000, others: 2000 }, 1)).toMatch(/, others before \d\d:00:02 are not read$/)
  })
})

describe('the parts of the plot', () => {
  const window = { startMs: 6_000_000, endMs: 12_000_000 }

  it('count attempts by their answer, the newest part last', () => {
    const bins = binsOf(
      [
        attempt({ startedAt: 11_999_999 }),
        attempt({ startedAt: 11_950_000, status: 503 }),
        attempt({ startedAt: 11_899_999, status: 429 }),
        attempt({ startedAt: 5_000_000 }),
      ],
      window,
    )
    expect(bins).toHaveLength(BINS)
    expect(bins.at(-1)).toMatchObject({ startMs: 11_900_000, endMs: 12_000_000, counts: { accepted: 1, failed: 1 } })
    expect(bins.at(-2)?.counts).toEqual({ accepted: 0, limited: 1, failed: 0, refused: 0 })
    expect(totalOf(bins)).toEqual({ accepted: 1, limited: 1, failed: 1, refused: 0 })
  })

  it('begin at the same times while the window moves', () => {
    const starts = (endMs: number) => binsOf([], { startMs: endMs - 6_000_000, endMs }).map(({ startMs }) => startMs)
    expect(starts(12_030_000)).toEqual(starts(12_090_000))
  })

  it('are described in words', () => {
    expect(countsText({ accepted: 2, limited: 0, failed: 1, refused: 0 })).toBe('3 attempts: 2 accepted, 1 failed')
    expect(countsText({ accepted: 0, limited: 0, failed: 0, refused: 0 })).toBe('no attempts')
  })
})

describe('waits', () => {
  it('last from the end of an attempt to the next one of the same envelope', () => {
    const attempts = [
      attempt({ id: 3, attempt: 2, startedAt: 5000 }),
      attempt({ id: 2, seq: 2, startedAt: 2000 }),
      attempt({ id: 1, status: 503, endedAt: 1010 }),
    ]
    expect(waitsOf(attempts, 9000)).toEqual([{ seq: 1, attempt: 1, fromMs: 1010, toMs: 5000, row: 0 }])
  })

  it('go on after an attempt that is retried automatically, and only then', () => {
    const open = (over: Partial<PlottedAttempt>) => waitsOf([attempt(over)], 9000).map(({ toMs }) => toMs)
    expect(open({ status: null })).toEqual([null])
    expect(open({ status: 401 })).toEqual([null])
    expect([open({ status: 413 }), open({ status: null, sha256: '' }), open({})]).toEqual([[], [], []])
  })

  it('do not bridge an attempt that is not known', () => {
    expect(waitsOf([attempt({ attempt: 3, startedAt: 5000 }), attempt({ status: 503 })], 9000)).toEqual([])
  })

  it('are below each other when they overlap, without a row beyond the fourth', () => {
    const overlapping = Array.from({ length: WAIT_ROWS + 1 }, (_, at) => attempt({ id: 9 - at, seq: at, status: 503 }))
    expect(waitsOf(overlapping, 9000).map(({ row }) => row)).toEqual([0, 1, 2, 3, null])
  })
})
