import { expect, it } from 'vitest'
import { MinuteCounts, startOfMinutes } from '../../../collector/api/minute-counts'

const MINUTE = 60_000
const NOW = 100 * MINUTE + 30_000

it('sums the newest minutes, the current one included', () => {
  const counts = new MinuteCounts()
  counts.add('a', NOW)
  counts.add('a', NOW - MINUTE, 2)
  counts.add('a', NOW - 15 * MINUTE, 4)
  expect(counts.sum('a', NOW, 15)).toBe(3)
  expect(counts.sum('a', NOW, 16)).toBe(7)
  expect(counts.series('a', NOW, 3)).toEqual([0, 2, 1])
  expect(startOfMinutes(NOW, 3)).toBe(98 * MINUTE)
})

it('keeps 60 minutes, and counts nothing older', () => {
  const counts = new MinuteCounts()
  counts.add('old', NOW - 60 * MINUTE)
  counts.add('x y', NOW)
  expect(counts.names('')).toEqual(['x y'])
  counts.add('old', NOW - 60 * MINUTE)
  counts.add('x z', NOW - 59 * MINUTE)
  expect(counts.names('x ')).toEqual(['y', 'z'])
})
