import { describe, expect, it } from 'vitest'
import { RateLimits } from '../../../collector/relay/running-limits'
import type { StoredLimit } from '../../../collector/spool/submission'
import { DATA_CATEGORIES } from '../../../lib/protocol/data-category'
import { ALL, parseRateLimits } from '../../../lib/protocol/rate-limits'
import { storedLimit } from '../spool/stored-limit'

const now = 1_000_000

const limit = (category: string, seconds: number, more: Partial<StoredLimit> = {}): StoredLimit =>
  storedLimit(category, seconds, {
    publicKey: 'abc',
    project: '42',
    receivedAt: now,
    until: now + seconds * 1000,
    ...more,
  })

/** Rate limits with both clocks: the monotonic one, and the one that can be set. */
function clockedLimits(rateLimits: readonly StoredLimit[]) {
  let wall = now
  let ran = 500
  return {
    rateLimits: new RateLimits(rateLimits, { now: () => wall, monotonic: () => ran }),
    pass: (ms: number): void => {
      wall += ms
      ran += ms
    },
    jump: (ms: number): void => {
      wall += ms
    },
  }
}

const header = (stored: readonly StoredLimit[], at = now): string | null => {
  const { rateLimits, pass } = clockedLimits(stored)
  pass(at - now)
  return rateLimits.headerFor('abc', '42')
}

describe('the header for SDKs', () => {
  it('is null without limits', () => {
    expect(header([])).toBeNull()
  })

  it('names each category with the reason', () => {
    expect(header([limit('error', 60), limit('span', 30, { reason: 'quota' })])).toBe(
      '60:error:organization, 30:span:organization:quota',
    )
  })

  it('has the remaining seconds, rounded up, because an SDK restarts its clock at each header', () => {
    const reported = [limit('error', 60)]
    expect(header(reported, now + 1)).toBe('60:error:organization')
    expect(header(reported, now + 1000)).toBe('59:error:organization')
    expect(header(reported, now + 59_001)).toBe('1:error:organization')
  })

  it('is null when the limits have ended', () => {
    expect(header([limit('error', 60)], now + 59_999)).not.toBeNull()
    expect(header([limit('error', 60)], now + 60_000)).toBeNull()
    expect(header([limit('error', 0)])).toBeNull()
  })

  it('has a limit of everything without a name and under every known name, so that no other entry hides it', () => {
    const reported = header([limit(ALL, 60)]) ?? ''
    expect(reported).toMatch(/^60::organization, 60:error;transaction;[a-z_;]+:organization$/)
    const names = parseRateLimits(reported)[1]?.categories
    expect(names).toEqual(expect.arrayContaining([...DATA_CATEGORIES, 'metric', 'default']))
  })

  it('keeps a longer limit of one category next to a limit of everything', () => {
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
    ['profile_chunk_ui', '60:profile_chunk_ui;profile:organization'],
    ['log_byte', '60:log_byte;log_item:organization'],
    ['of_tomorrow', '60:of_tomorrow:organization'],
  ])('has every SDK name of %s', (category, expected) => {
    expect(header([limit(category, 60)])).toBe(expected)
  })

  it('has each category once, with its longest limit', () => {
    expect(header([limit('trace_metric', 60), limit('metric', 90)])).toBe('90:trace_metric;metric:organization')
  })

  it('keeps the scope', () => {
    expect(header([limit('error', 60, { scope: 'key' })])).toBe('60:error:key')
  })

  it('has at most 8 KiB, and begins with the limit of everything', () => {
    const long = Array.from({ length: 99 }, (_, n) => limit(`${n}`.padEnd(64, 'x'), 60 + n, { reason: 'y'.repeat(64) }))
    const reported = header([...long, limit(ALL, 5)]) ?? ''
    expect(reported.length).toBeLessThanOrEqual(8192)
    expect(reported.length).toBeGreaterThan(7000)
    expect(reported).toMatch(/^5::organization, /)
  })

  it('has only limits of this key and project', () => {
    const reported = [limit('error', 60, { publicKey: 'def' }), limit('error', 60, { project: '43' })]
    expect(header(reported)).toBeNull()
    expect(clockedLimits(reported).rateLimits.headerFor('def', '42')).toBe('60:error:organization')
  })

  it('is parsed by an SDK into the same limits', () => {
    const rateLimits = parseRateLimits(header([limit('error', 60), limit(ALL, 5)]) ?? '')
    expect(rateLimits).toMatchObject([
      { seconds: 5, categories: [] },
      { seconds: 60, categories: ['error'] },
      { seconds: 5, categories: expect.arrayContaining(['span']) },
    ])
  })
})

it('a repeated limit lasts as long as the longest', () => {
  expect(header([limit('error', 60), limit('error', 10)])).toBe('60:error:organization')
  expect(header([limit('error', 10), limit('error', 60)])).toBe('60:error:organization')
})

it('a repeated limit begins again after the former has ended', () => {
  const { rateLimits, pass } = clockedLimits([limit('error', 60)])
  pass(60_000)
  expect(rateLimits.active()).toEqual([])
  rateLimits.add([limit('error', 70)])
  expect(rateLimits.headerFor('abc', '42')).toBe('10:error:organization')
})

it('a repeated limit does not replace one of another key, project or category', () => {
  const { rateLimits } = clockedLimits([limit('error', 60), limit('span', 10), limit('error', 20, { project: '43' })])
  expect(rateLimits.active()).toHaveLength(3)
})

it('a repeated limit is dropped when it ends, and at most a hundred per project are kept', () => {
  const many = (project: string) => Array.from({ length: 1000 }, (_, n) => limit(`category${n}`, 1, { project }))
  const { rateLimits, pass } = clockedLimits([...many('42'), ...many('43')])
  expect(rateLimits.active()).toHaveLength(200)
  pass(1000)
  expect(rateLimits.active()).toHaveLength(0)
  rateLimits.add([limit('error', 60)])
  expect(rateLimits.active()).toHaveLength(1)
})

describe('a clock that jumps a day', () => {
  const DAY = 24 * 60 * 60 * 1000

  it.each([
    ['back', -DAY],
    ['forward', DAY],
  ])('%s does not change how long a limit lasts', (_where, by) => {
    const { rateLimits, pass, jump } = clockedLimits([limit('error', 60)])
    pass(10_000)
    jump(by)
    expect(rateLimits.headerFor('abc', '42')).toBe('50:error:organization')
    expect(rateLimits.active()).toMatchObject([{ until: now + by + 60_000 }])
    pass(50_000)
    expect(rateLimits.headerFor('abc', '42')).toBeNull()
  })

  it('while the collector is stopped prolongs no limit beyond its reported time', () => {
    const reported = limit('error', 60, { until: now + DAY + 60_000, receivedAt: now + DAY })
    expect(header([reported])).toBe('60:error:organization')
  })

  it.each([
    ['back', -DAY],
    ['forward', DAY],
  ])('%s is corrected in the stored limits, so that a restart changes nothing', (_where, by) => {
    const { rateLimits, pass, jump } = clockedLimits([limit('error', 60)])
    pass(10_000)
    expect(rateLimits.corrected()).toEqual([])
    jump(by)
    const corrected = rateLimits.corrected()
    expect(corrected).toEqual([{ ...limit('error', 60, { receivedAt: now + by, until: now + by + 60_000 }), by }])
    expect(rateLimits.corrected()).toEqual([])
    const restarted = new RateLimits(corrected, { now: () => now + by + 10_000, monotonic: () => 3 })
    expect(restarted.headerFor('abc', '42')).toBe('50:error:organization')
  })
})

describe('a limit that has ended', () => {
  it('is reported once for storing, so that a clock that is set back does not restore it', () => {
    const { rateLimits, pass } = clockedLimits([limit('error', 60), limit('span', 90)])
    pass(60_000)
    expect(rateLimits.corrected()).toEqual([{ ...limit('error', 60, { until: 0 }), by: 0 }])
    expect(rateLimits.corrected()).toEqual([])
  })

  it('is not reported when it was repeated since', () => {
    const { rateLimits, pass } = clockedLimits([limit('error', 60)])
    pass(60_000)
    expect(rateLimits.active()).toEqual([])
    rateLimits.add([limit('error', 90)])
    expect(rateLimits.corrected()).toEqual([])
  })
})

it('the active limits of one key and project are those that upstream reported, until they end', () => {
  const { rateLimits, pass } = clockedLimits([
    limit('error', 60),
    limit('span', 30),
    limit('error', 60, { project: '43' }),
  ])
  expect(rateLimits.activeFor('abc', '42').map(({ category }) => category)).toEqual(['error', 'span'])
  pass(30_000)
  expect(rateLimits.activeFor('abc', '42').map(({ category }) => category)).toEqual(['error'])
  expect(rateLimits.activeFor('def', '42')).toEqual([])
})

it('a limit of a stamp is in force for that stamp alone, beside the limits for all', () => {
  const { rateLimits, pass } = clockedLimits([limit('span', 60), limit('error', 30, { stamp: 'mine' })])
  const categories = (stamp: string | null) => rateLimits.activeFor('abc', '42', stamp).map(({ category }) => category)
  expect([categories('mine'), categories('other'), categories(null)]).toEqual([['span', 'error'], ['span'], ['span']])
  expect(rateLimits.headerFor('abc', '42', false, 'mine')).toBe('60:span:organization, 30:error:organization')
  expect(rateLimits.headerFor('abc', '42')).toBe('60:span:organization')
  pass(30_000)
  expect(categories('mine')).toEqual(['span'])
})

it('a limit of a stamp is not stored: neither its correction nor its end', () => {
  const { rateLimits, jump, pass } = clockedLimits([limit('error', 30, { stamp: 'mine' })])
  jump(60_000)
  expect(rateLimits.corrected()).toEqual([])
  pass(30_000)
  expect(rateLimits.corrected()).toEqual([])
})

it('a limit of a stamp holds 1000 limits of stamps, and a limit of all stamps next to them', () => {
  const stamped = Array.from({ length: 1_001 }, (_, index) => limit('error', 30, { stamp: `s-${index}` }))
  const { rateLimits } = clockedLimits([...stamped, limit('error', 60)])
  expect(rateLimits.active()).toHaveLength(1_001)
  expect(rateLimits.headerFor('abc', '42', false, 's-1000')).toBe('60:error:organization')
})
