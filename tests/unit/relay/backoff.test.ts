import { describe, expect, it } from 'vitest'
import { FIRST_WAIT_MS, LONGEST_WAIT_MS, waitAfter } from '../../../collector/relay/circuit-breaker'

describe('the wait after failures in a row', () => {
  it('begins at 1 s, grows by half and ends at a minute', () => {
    const waits = Array.from({ length: 13 }, (_, index) => waitAfter(index + 1, 0))
    expect(waits).toEqual([1000, 1500, 2250, 3375, 5063, 7594, 11391, 17086, 25629, 38443, 57665, 60000, 60000])
  })

  it('is shortened by up to a fifth, so that relays do not knock in step', () => {
    expect(waitAfter(1, 1)).toBe(FIRST_WAIT_MS * 0.8)
    expect(waitAfter(100, 0.5)).toBe(LONGEST_WAIT_MS * 0.9)
  })

  it('stays a minute however long upstream is away', () => {
    expect(waitAfter(100_000, 0)).toBe(LONGEST_WAIT_MS)
  })
})
