import { describe, expect, it } from 'vitest'
import { diffDurations } from '../../../../lib/verdict/compare/diff-durations'
import type { RunData } from '../../../../lib/verdict/compare/run-data'
import { holm, mannWhitney, medianOf } from '../../../../lib/verdict/compare/statistics'
import { runOf } from './sample-runs'

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const SPANS = Array.from({ length: 12 }, (_, index) => `span ${index}`)
const SAMPLES = 15

/** A run on a machine of its own speed, with some slow samples. @param slow factor of the first span */
function simulated(random: () => number, slow = 1): RunData {
  const speed = 0.6 + random() * 1.2
  const ms = (index: number): number =>
    (10 + index * 12) * speed * (0.7 + random() * 0.9 + (random() < 0.05 ? 4 * random() : 0)) * (index === 0 ? slow : 1)
  const traces = Array.from({ length: SAMPLES }, () => ({
    key: 'root',
    spans: new Map(SPANS.map((name, index) => [name, [ms(index)]])),
  }))
  return runOf({ traces })
}

describe('durations', () => {
  it('durations of one run against one other run are listed, never judged', () => {
    const random = randomOf(1)
    const diff = diffDurations([simulated(random)], simulated(random, 50))
    expect(diff).toMatchObject({ isJudged: false, unjudged: expect.stringContaining('and 1 of 1 are') })
    expect(diff.changes[0]?.span).toBe('span 0')
    expect(diff.changes).toHaveLength(10)
  })

  it('never differ between 1,000 simulated sets of equal runs', () => {
    const random = randomOf(7)
    let found = 0
    for (let round = 0; round < 1000; round += 1) {
      const bases = Array.from({ length: 5 }, () => simulated(random))
      found += diffDurations(bases, simulated(random)).changes.length
    }
    expect(found).toBe(0)
  })

  it('find a span that takes five times as long, in each of 100 simulated sets, and no other', () => {
    const random = randomOf(11)
    for (let round = 0; round < 100; round += 1) {
      const bases = Array.from({ length: 5 }, () => simulated(random))
      const { isJudged, changes } = diffDurations(bases, simulated(random, 5))
      expect(isJudged).toBe(true)
      expect(changes.map(({ span }) => span)).toEqual(['span 0'])
    }
  })

  it('are not judged when a base run is not green, or with too few samples', () => {
    const random = randomOf(3)
    const bases = Array.from({ length: 5 }, () => simulated(random))
    const red = { ...simulated(random), facts: { ...runOf().facts, verdict: 'fail' } as RunData['facts'] }
    expect(diffDurations([...bases, red], simulated(random))).toMatchObject({ isJudged: false })
    const head = simulated(random)
    const few = { ...head, traces: head.traces.slice(0, 9) }
    expect(diffDurations(bases, few)).toEqual({
      isJudged: true,
      changes: [],
      unjudged: '12 spans with fewer than 10 samples in a run: not judged',
    })
  })
})

it('statistics have the median of an even and an odd number of values', () => {
  expect([medianOf([]), medianOf([3]), medianOf([4, 1, 3]), medianOf([4, 1, 3, 2])]).toEqual([0, 3, 3, 2.5])
})

it("statistics have Mann–Whitney's probability", () => {
  const [one, other] = [
    [1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7, 8.8, 9.9, 10.1],
    [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5],
  ]
  expect(mannWhitney(one, one)).toBeCloseTo(1, 6)
  expect(mannWhitney(one, other)).toBeGreaterThan(0.9)
  // U = 0, mean 50, standard deviation sqrt(175): z = 49.5 / 13.2288 = 3.7418.
  expect(mannWhitney([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [11, 12, 13, 14, 15, 16, 17, 18, 19, 20])).toBeCloseTo(
    0.000183,
    6,
  )
  expect(mannWhitney([5, 5, 5], [5, 5, 5])).toBe(1)
  expect(mannWhitney([], [1])).toBe(1)
})

it("statistics have Holm's correction", () => {
  expect([...holm([0.01, 0.04, 0.03, 0.005], 0.05)].sort()).toEqual([0, 3])
  expect([...holm([0.04], 0.05)]).toEqual([0])
  expect([...holm([], 0.05)]).toEqual([])
})
