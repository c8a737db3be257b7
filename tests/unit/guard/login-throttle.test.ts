import { describe, expect, it } from 'vitest'
import { createLoginThrottle } from '../../../lib/guard/login-throttle'

describe('createLoginThrottle', () => {
  it('delays the next attempt from the fourth failure on, twice as long each time up to 30 s', () => {
    const throttle = createLoginThrottle(() => 5000)
    const waits = Array.from({ length: 10 }, () => {
      throttle.failed()
      return throttle.waitMs()
    })
    expect(waits).toEqual([0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  })

  it('judges again when the delay is over, and starts again after a success or 10 minutes', () => {
    let time = 0
    const throttle = createLoginThrottle(() => time)
    for (let failure = 1; failure <= 4; failure += 1) expect(throttle.failed()).toBe(failure)
    time = 999
    expect(throttle.waitMs()).toBe(1)
    time = 1000
    expect(throttle.waitMs()).toBe(0)
    throttle.succeeded()
    expect(throttle.failed()).toBe(1)
    time += 600_000
    expect(throttle.failed()).toBe(1)
  })
})
