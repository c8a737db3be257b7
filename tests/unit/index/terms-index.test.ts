import { describe, expect, it } from 'vitest'
import { bucketTerms, DURATION, rangeTerms, type Scale, TIME } from '../../../collector/index/rows/terms-index'
import { seededRandom } from '../protocol/seeded-random'

const SCALES: readonly { readonly scale: Scale; readonly from: number; readonly to: number; readonly most: number }[] =
  [
    { scale: TIME, from: 1.7e15, to: 1.9e15, most: 110 },
    { scale: DURATION, from: 0, to: 1e10, most: 30 },
  ]

describe.each(SCALES)('buckets of $scale.letter', ({ scale, from, to, most }) => {
  const random = seededRandom(7)
  // Small and large values are equally likely.
  const draw = (): number => Math.round(from + (to - from) * random() ** 4)
  const isFound = (value: number, terms: readonly string[]): boolean =>
    bucketTerms(scale, scale.bucketOf(value)).some((term) => terms.includes(term))

  it('match every value in a range, and others only next to its ends', () => {
    for (let n = 0; n < 3000; n += 1) {
      const [one, other, value] = [draw(), draw(), draw()]
      const [least, greatest] = [Math.min(one, other), Math.max(one, other)]
      const terms = rangeTerms(scale, least, greatest)
      const [low, high, bucket] = [least, greatest, value].map(scale.bucketOf) as [number, number, number]
      expect([least, greatest, value, isFound(value, terms)]).toEqual([
        least,
        greatest,
        value,
        low <= bucket && bucket <= high,
      ])
    }
  })

  it('an open range needs few buckets', () => {
    for (let n = 0; n < 300; n += 1) {
      const value = draw()
      const [upwards, downwards] = [rangeTerms(scale, value, undefined), rangeTerms(scale, undefined, value)]
      expect(isFound(Number.MAX_SAFE_INTEGER, upwards) && isFound(value, upwards)).toBe(true)
      expect(isFound(0, downwards) && isFound(value, downwards)).toBe(true)
      expect(Math.max(upwards.length, downwards.length)).toBeLessThanOrEqual(most)
    }
  })

  it('the buckets of an empty range match nothing', () => {
    const terms = rangeTerms(scale, to, from)
    expect([from, to].map((value) => isFound(value, terms))).toEqual([false, false])
    expect(terms).not.toEqual([])
  })
})

it('a duration shares its smallest bucket with durations up to an eighth longer', () => {
  expect(DURATION.bucketOf(1_000_000)).toBe(DURATION.bucketOf(999_999))
  expect(DURATION.bucketOf(1_130_000)).toBeGreaterThan(DURATION.bucketOf(1_000_000))
})
