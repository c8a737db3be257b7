import { describe, expect, it } from 'vitest'
import { storedLimits } from '../../../collector/relay/limit-headers'
import { RateLimits } from '../../../collector/relay/running-limits'
import type { StoredLimit } from '../../../collector/spool/submission'
import { DATA_CATEGORIES } from '../../../lib/protocol/data-category'
import { ALL, parseRateLimits } from '../../../lib/protocol/rate-limits'
import { dsn, limit, NOW } from './prepared'

it('a limit from an answer is stored per category, with the time of its end', () => {
  expect(storedLimits(parseRateLimits('60:error;span:key:quota, 2.5::organization'), dsn, 7, NOW)).toEqual([
    limit('error', 60, { reason: 'quota', scope: 'key', sourceSeq: 7 }),
    limit('span', 60, { reason: 'quota', scope: 'key', sourceSeq: 7 }),
    limit(ALL, 2.5, { scope: 'organization', sourceSeq: 7 }),
  ])
})

it('a limit from an answer has a category of at most 64 characters', () => {
  const [stored] = storedLimits(parseRateLimits(`60:${'x'.repeat(100)}:key`), dsn, 7, NOW)
  expect(stored?.category).toBe('x'.repeat(64))
})

describe('an answer with more limits than are kept', () => {
  const names = Array.from({ length: 60_000 }, (_, n) => `c${n}`)
  const stored = (header: string) => storedLimits(parseRateLimits(header), dsn, 7, NOW)

  it('is stored as a hundred limits, known categories first', () => {
    const categories = stored(`60:${[...names, 'error', 'profile_chunk_ui'].join(';')}:key`).map(
      ({ category }) => category,
    )
    expect(categories).toHaveLength(100)
    expect(categories.slice(0, 3)).toEqual(['error', 'profile_chunk_ui', 'c0'])
    expect(stored(`${names.map((name) => `60:${name}:key`).join(',')}, 60::key`)[0]).toMatchObject({ category: ALL })
  })

  it('is stored with the longest limit of a repeated category', () => {
    expect(stored(`${'5:error:key,'.repeat(1000)}90:error:project,7:error:key`)).toEqual([
      limit('error', 90, { scope: 'project', sourceSeq: 7 }),
    ])
  })
})

describe('limits for SDKs while errors are deferred', () => {
  const headerFor = (...rateLimits: readonly StoredLimit[]) =>
    new RateLimits(rateLimits, { now: () => NOW, monotonic: () => 0 }).headerFor('key', '1', true)

  it('do not contain limits of errors', () => {
    expect(headerFor(limit('error', 60))).toBeNull()
    expect(headerFor(limit('error', 60), limit('span', 30))).toBe('30:span:organization')
  })

  it('name every category but errors instead of everything', () => {
    const rateLimits = parseRateLimits(headerFor(limit(ALL, 60)) ?? '')
    expect(rateLimits).toHaveLength(1)
    const names = [...DATA_CATEGORIES, 'metric', 'default'].filter((name) => name !== 'error')
    expect([...(rateLimits[0]?.categories ?? [])].sort()).toEqual(names.sort())
  })

  it('keep a longer limit of one category', () => {
    expect(headerFor(limit('span', 90), limit(ALL, 60))).toMatch(/^90:span:organization, 60:transaction;/)
  })
})
