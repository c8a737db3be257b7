import { describe, expect, it } from 'vitest'
import { ALL, LimitBook, storedLimits } from '../../../collector/relay/limits'
import type { StoredLimit } from '../../../collector/spool/submission'
import { parseRateLimits } from '../../../lib/protocol/rate-limits'

const now = 1_000_000
const upstream = { publicKey: 'abc', projectId: '42' }

const limit = (category: string, seconds: number, more: Partial<StoredLimit> = {}): StoredLimit => ({
  publicKey: 'abc',
  project: '42',
  category,
  until: now + seconds * 1000,
  toldAt: now,
  reason: null,
  ...more,
})

const header = (limits: readonly StoredLimit[], at = now): string | null =>
  new LimitBook(limits).headerFor('abc', '42', at)

describe('a limit that upstream told', () => {
  it('is stored by category, with the moment at which it ends', () => {
    expect(storedLimits(parseRateLimits('60:error;span:key:quota, 2.5::organization'), upstream, now)).toEqual([
      limit('error', 60, { reason: 'quota' }),
      limit('span', 60, { reason: 'quota' }),
      limit(ALL, 2.5),
    ])
  })

  it('has a category of at most 64 signs', () => {
    const [stored] = storedLimits(parseRateLimits(`60:${'x'.repeat(100)}:key`), upstream, now)
    expect(stored?.category).toBe('x'.repeat(64))
  })
})

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

  it('of everything have no category', () => {
    expect(header([limit(ALL, 60)])).toBe('60::organization')
  })

  it("are those of one's own key and project", () => {
    const told = [limit('error', 60, { publicKey: 'def' }), limit('error', 60, { project: '43' })]
    expect(header(told)).toBeNull()
    expect(new LimitBook(told).headerFor('def', '42', now)).toBe('60:error:organization')
  })

  it('are read by an SDK as they were meant', () => {
    const limits = parseRateLimits(header([limit('error', 60), limit(ALL, 5)]) ?? '')
    expect(limits).toMatchObject([
      { seconds: 60, categories: ['error'] },
      { seconds: 5, categories: [] },
    ])
  })
})

describe('a limit that is told again', () => {
  it('lasts as long as the longest that was told', () => {
    expect(header([limit('error', 60), limit('error', 10)])).toBe('60:error:organization')
    expect(header([limit('error', 10), limit('error', 60)])).toBe('60:error:organization')
  })

  it('begins anew once the former is over', () => {
    const book = new LimitBook([limit('error', 60)])
    expect(book.active(now + 60_000)).toEqual([])
    book.tell([limit('error', 70)])
    expect(book.headerFor('abc', '42', now + 60_000)).toBe('10:error:organization')
  })

  it('does not take the place of another key, project or category', () => {
    const book = new LimitBook([limit('error', 60), limit('span', 10), limit('error', 20, { project: '43' })])
    expect(book.active(now)).toHaveLength(3)
  })

  it('is forgotten when it is over, so that the book does not grow', () => {
    const book = new LimitBook(Array.from({ length: 1000 }, (_, index) => limit(`category${index}`, 1)))
    expect(book.active(now)).toHaveLength(1000)
    expect(book.active(now + 1000)).toHaveLength(0)
    expect(book.active(now)).toHaveLength(0)
  })
})
