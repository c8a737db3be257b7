import { describe, expect, it } from 'vitest'
import { RateLimits } from '../../../collector/relay/rate-limits'
import type { StoredLimit } from '../../../collector/spool/submission'
import { DATA_CATEGORIES } from '../../../lib/protocol/data-category'
import { ALL, parseRateLimits } from '../../../lib/protocol/upstream-answer'

const now = 1_000_000

const limit = (category: string, seconds: number, more: Partial<StoredLimit> = {}): StoredLimit => ({
  publicKey: 'abc',
  project: '42',
  category,
  until: now + seconds * 1000,
  receivedAt: now,
  reason: null,
  scope: null,
  sourceSeq: null,
  ...more,
})

/** A book, and both of its clocks: what runs, and what is set. */
function bookOf(limits: readonly StoredLimit[]) {
  let wall = now
  let ran = 500
  return {
    book: new RateLimits(limits, { now: () => wall, monotonic: () => ran }),
    pass: (ms: number): void => {
      wall += ms
      ran += ms
    },
    jump: (ms: number): void => {
      wall += ms
    },
  }
}

const header = (limits: readonly StoredLimit[], at = now): string | null => {
  const { book, pass } = bookOf(limits)
  pass(at - now)
  return book.headerFor('abc', '42')
}

describe('the limits that an SDK is told', () => {
  it('are none when there are none', () => {
    expect(header([])).toBeNull()
  })

  it('are each by name, with the reason', () => {
    expect(header([limit('error', 60), limit('span', 30, { reason: 'quota' })])).toBe(
      '60:error:organization, 30:span:organization:quota',
    )
  })

  it('have the seconds that remain, rounded up, for an SDK restarts its clock at each header', () => {
    const told = [limit('error', 60)]
    expect(header(told, now + 1)).toBe('60:error:organization')
    expect(header(told, now + 1000)).toBe('59:error:organization')
    expect(header(told, now + 59_001)).toBe('1:error:organization')
  })

  it('are over when they are over', () => {
    expect(header([limit('error', 60)], now + 59_999)).not.toBeNull()
    expect(header([limit('error', 60)], now + 60_000)).toBeNull()
    expect(header([limit('error', 0)])).toBeNull()
  })

  it('of everything have no category, and each that is known by name as well, so that none hides it', () => {
    const told = header([limit(ALL, 60)]) ?? ''
    expect(told).toMatch(/^60::organization, 60:error;transaction;[a-z_;]+:organization$/)
    const names = parseRateLimits(told)[1]?.categories
    expect(names).toEqual(expect.arrayContaining([...DATA_CATEGORIES, 'metric', 'default']))
  })

  it('of everything name a category that is limited for longer with that', () => {
    expect(parseRateLimits(header([limit('error', 90), limit(ALL, 60), limit('span', 30)]) ?? '')).toMatchObject([
      { seconds: 60, categories: [] },
      { seconds: 90, categories: ['error'] },
      { seconds: 60, categories: expect.arrayContaining(['span', 'transaction']) },
    ])
  })

  it.each([
    ['trace_metric', '60:trace_metric;metric:organization'],
    ['metric', '60:metric;trace_metric:organization'],
    ['profile_chunk', '60:profile_chunk;profile:organization'],
    ['profile_chunk_ui', '60:profile_chunk_ui;profile_chunk;profile:organization'],
    ['log_byte', '60:log_byte;log_item:organization'],
    ['of_tomorrow', '60:of_tomorrow:organization'],
  ])('of %s say it by every name that an SDK may know it by', (category, expected) => {
    expect(header([limit(category, 60)])).toBe(expected)
  })

  it('name a category once, with the longest of its limits', () => {
    expect(header([limit('trace_metric', 60), limit('metric', 90)])).toBe('90:trace_metric;metric:organization')
  })

  it('keep the scope that upstream told', () => {
    expect(header([limit('error', 60, { scope: 'key' })])).toBe('60:error:key')
  })

  it('take 8 KiB at most, for an SDK on Node takes 16 of all headers, and begin with what is of everything', () => {
    const long = Array.from({ length: 99 }, (_, n) => limit(`${n}`.padEnd(64, 'x'), 60 + n, { reason: 'y'.repeat(64) }))
    const told = header([...long, limit(ALL, 5)]) ?? ''
    expect(told.length).toBeLessThanOrEqual(8192)
    expect(told.length).toBeGreaterThan(7000)
    expect(told).toMatch(/^5::organization, /)
  })

  it("are those of one's own key and project", () => {
    const told = [limit('error', 60, { publicKey: 'def' }), limit('error', 60, { project: '43' })]
    expect(header(told)).toBeNull()
    expect(bookOf(told).book.headerFor('def', '42')).toBe('60:error:organization')
  })

  it('are read by an SDK as they were meant', () => {
    const limits = parseRateLimits(header([limit('error', 60), limit(ALL, 5)]) ?? '')
    expect(limits).toMatchObject([
      { seconds: 5, categories: [] },
      { seconds: 60, categories: ['error'] },
      { seconds: 5, categories: expect.arrayContaining(['span']) },
    ])
  })
})

describe('a limit that is told again', () => {
  it('lasts as long as the longest that was told', () => {
    expect(header([limit('error', 60), limit('error', 10)])).toBe('60:error:organization')
    expect(header([limit('error', 10), limit('error', 60)])).toBe('60:error:organization')
  })

  it('begins anew once the former is over', () => {
    const { book, pass } = bookOf([limit('error', 60)])
    pass(60_000)
    expect(book.active()).toEqual([])
    book.add([limit('error', 70)])
    expect(book.headerFor('abc', '42')).toBe('10:error:organization')
  })

  it('does not take the place of another key, project or category', () => {
    const { book } = bookOf([limit('error', 60), limit('span', 10), limit('error', 20, { project: '43' })])
    expect(book.active()).toHaveLength(3)
  })

  it('is forgotten when it is over, and of one project a hundred are remembered, so that the book does not grow', () => {
    const many = (project: string) => Array.from({ length: 1000 }, (_, n) => limit(`category${n}`, 1, { project }))
    const { book, pass } = bookOf([...many('42'), ...many('43')])
    expect(book.active()).toHaveLength(200)
    pass(1000)
    expect(book.active()).toHaveLength(0)
    book.add([limit('error', 60)])
    expect(book.active()).toHaveLength(1)
  })
})

describe('a clock that jumps a day', () => {
  const DAY = 24 * 60 * 60 * 1000

  it.each([
    ['back', -DAY],
    ['forward', DAY],
  ])('%s changes nothing about how long a limit lasts', (_where, by) => {
    const { book, pass, jump } = bookOf([limit('error', 60)])
    pass(10_000)
    jump(by)
    expect(book.headerFor('abc', '42')).toBe('50:error:organization')
    expect(book.active()).toMatchObject([{ until: now + by + 60_000 }])
    pass(50_000)
    expect(book.headerFor('abc', '42')).toBeNull()
  })

  it('while the collector is stopped prolongs no limit beyond the time it was told for', () => {
    const told = limit('error', 60, { until: now + DAY + 60_000, receivedAt: now + DAY })
    expect(header([told])).toBe('60:error:organization')
  })

  it.each([
    ['back', -DAY],
    ['forward', DAY],
  ])('%s is corrected in what is stored, so that a restart changes nothing', (_where, by) => {
    const { book, pass, jump } = bookOf([limit('error', 60)])
    pass(10_000)
    expect(book.corrected()).toEqual([])
    jump(by)
    const corrected = book.corrected()
    expect(corrected).toEqual([{ ...limit('error', 60, { receivedAt: now + by, until: now + by + 60_000 }), by }])
    expect(book.corrected()).toEqual([])
    const restarted = new RateLimits(corrected, { now: () => now + by + 10_000, monotonic: () => 3 })
    expect(restarted.headerFor('abc', '42')).toBe('50:error:organization')
  })
})

describe('a limit that is over', () => {
  it('is to be stored as that, once, so that a clock that is set back does not bring it back', () => {
    const { book, pass } = bookOf([limit('error', 60), limit('span', 90)])
    pass(60_000)
    expect(book.corrected()).toEqual([{ ...limit('error', 60, { until: 0 }), by: 0 }])
    expect(book.corrected()).toEqual([])
  })

  it('is not when it was told anew since', () => {
    const { book, pass } = bookOf([limit('error', 60)])
    pass(60_000)
    expect(book.active()).toEqual([])
    book.add([limit('error', 90)])
    expect(book.corrected()).toEqual([])
  })
})

describe('what runs for one key and project', () => {
  it('is what upstream told of them, until it ends', () => {
    const { book, pass } = bookOf([limit('error', 60), limit('span', 30), limit('error', 60, { project: '43' })])
    expect(book.activeFor('abc', '42').map(({ category }) => category)).toEqual(['error', 'span'])
    pass(30_000)
    expect(book.activeFor('abc', '42').map(({ category }) => category)).toEqual(['error'])
    expect(book.activeFor('def', '42')).toEqual([])
  })
})
