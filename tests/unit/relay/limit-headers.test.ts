import { isRateLimited, updateRateLimits } from '@sentry/core'
import { describe, expect, it } from 'vitest'
import { formatLimitsHeader, limitsForSdks } from '../../../collector/relay/limit-headers'
import type { StoredLimit } from '../../../collector/spool/submission'
import { limit, NOW } from './prepared'

/** What an SDK holds back some seconds after answers that came at these seconds, by its own reading of our header. */
function heldBack(
  answers: readonly (readonly [atSecond: number, limits: readonly StoredLimit[]])[],
  atSecond: number,
  holdErrors = false,
) {
  let limits = {}
  for (const [second, running] of answers) {
    const at = NOW + second * 1000
    const header = formatLimitsHeader(limitsForSdks(running, holdErrors), at)
    limits = updateRateLimits(
      limits,
      { statusCode: 200, headers: { 'x-sentry-rate-limits': header, 'retry-after': null } },
      at,
    )
  }
  return (category: Parameters<typeof isRateLimited>[1]) => isRateLimited(limits, category, NOW + atSecond * 1000)
}

describe('an SDK that is told by us', () => {
  it('holds back what is limited until that ends, and nothing else', () => {
    const told = [[0, [limit('transaction', 60)]]] as const
    expect(heldBack(told, 59)('transaction')).toBe(true)
    expect(heldBack(told, 59)('error')).toBe(false)
    expect(heldBack(told, 60)('transaction')).toBe(false)
  })

  it('holds back a category while everything is limited, though that category was limited before and is not now', () => {
    const told = [
      [0, [limit('error', 5)]],
      [10, [limit('all', 60)]],
    ] as const
    for (const category of ['error', 'transaction', 'session', 'metric', 'profile', 'internal'] as const)
      expect(heldBack(told, 30)(category)).toBe(true)
  })

  it('sends errors, and nothing else, while everything is limited and errors are held here', () => {
    const told = heldBack([[0, [limit('all', 60), limit('error', 60)]]], 30, true)
    expect(told('error')).toBe(false)
    for (const category of ['transaction', 'session', 'metric', 'profile', 'internal', 'attachment'] as const)
      expect(told(category)).toBe(true)
  })

  it('holds back metrics and profile chunks, for which it has names of its own', () => {
    const told = [[0, [limit('trace_metric', 60), limit('profile_chunk_ui', 60)]]] as const
    expect(heldBack(told, 30)('metric')).toBe(true)
    expect(heldBack(told, 30)('profile')).toBe(true)
  })

  it('ends with the limit, however often it is told meanwhile', () => {
    const told = Array.from({ length: 50 }, (_, second) => [second, [limit('error', 60)]] as const)
    expect(heldBack(told, 59)('error')).toBe(true)
    expect(heldBack(told, 60)('error')).toBe(false)
  })

  it('holds back for the longest of several limits that mean one category', () => {
    const told = [[0, [limit('error', 60), limit('all', 5)]]] as const
    expect(heldBack(told, 30)('error')).toBe(true)
    expect(heldBack(told, 30)('transaction')).toBe(false)
  })
})
