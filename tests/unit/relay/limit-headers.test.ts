import { isRateLimited, updateRateLimits } from '@sentry/core'
import { describe, expect, it } from 'vitest'
import { formatLimitsHeader, limitsForSdks } from '../../../collector/relay/limit-headers'
import type { StoredLimit } from '../../../collector/spool/submission'
import { limit, NOW } from './prepared'

/** Whether an SDK drops a category at a time, after it received our header at these times. */
function droppedBySdk(
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

describe('an SDK that receives our header', () => {
  it('drops a limited category until its limit ends, and nothing else', () => {
    const sent = [[0, [limit('transaction', 60)]]] as const
    expect(droppedBySdk(sent, 59)('transaction')).toBe(true)
    expect(droppedBySdk(sent, 59)('error')).toBe(false)
    expect(droppedBySdk(sent, 60)('transaction')).toBe(false)
  })

  it('drops a category while everything is limited, although its own limit has ended', () => {
    const sent = [
      [0, [limit('error', 5)]],
      [10, [limit('all', 60)]],
    ] as const
    for (const category of ['error', 'transaction', 'session', 'metric', 'profile', 'internal'] as const)
      expect(droppedBySdk(sent, 30)(category)).toBe(true)
  })

  it('sends only errors while everything is limited and errors are deferred here', () => {
    const sent = droppedBySdk([[0, [limit('all', 60), limit('error', 60)]]], 30, true)
    expect(sent('error')).toBe(false)
    for (const category of ['transaction', 'session', 'metric', 'profile', 'internal', 'attachment'] as const)
      expect(sent(category)).toBe(true)
  })

  it('drops metrics and profile chunks, for which SDKs have other names', () => {
    const sent = [[0, [limit('trace_metric', 60), limit('profile_chunk_ui', 60)]]] as const
    expect(droppedBySdk(sent, 30)('metric')).toBe(true)
    expect(droppedBySdk(sent, 30)('profile')).toBe(true)
  })

  it('sends again when the limit ends, however often the header repeats it', () => {
    const sent = Array.from({ length: 50 }, (_, second) => [second, [limit('error', 60)]] as const)
    expect(droppedBySdk(sent, 59)('error')).toBe(true)
    expect(droppedBySdk(sent, 60)('error')).toBe(false)
  })

  it('drops for the longest of several limits of one category', () => {
    const sent = [[0, [limit('error', 60), limit('all', 5)]]] as const
    expect(droppedBySdk(sent, 30)('error')).toBe(true)
    expect(droppedBySdk(sent, 30)('transaction')).toBe(false)
  })
})
