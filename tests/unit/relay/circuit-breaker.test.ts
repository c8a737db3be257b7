import { beforeEach, describe, expect, it } from 'vitest'
import { CircuitBreaker } from '../../../collector/relay/circuit-breaker'
import { HandClock } from './relay-parts'

const away = { at: 0, status: null, error: 'ECONNREFUSED' }

let clock: HandClock
let probes: number
let breaker: CircuitBreaker
/** Statuses of the pauses that were told; `null` for their ends. */
let told: (number | null)[]
beforeEach(() => {
  told = []
  clock = new HandClock()
  probes = 0
  const tools = { now: clock.now, later: clock.later, random: () => 0 }
  breaker = new CircuitBreaker(
    tools,
    () => {
      probes += 1
    },
    (paused) => told.push(paused?.status ?? null),
  )
})

describe('an upstream that does not answer', () => {
  it('is asked again after 1 s, each time half as long again, up to a minute', () => {
    const waits: number[] = []
    for (let time = 0; time < 13; time += 1) {
      breaker.failed(away)
      waits.push(Math.round((breaker.retryAt ?? 0) - clock.now()))
      clock.pass(60_000)
    }
    expect(waits.slice(0, 5)).toEqual([1000, 1500, 2250, 3375, 5063])
    expect(waits.at(-1)).toBe(60_000)
    expect(probes).toBe(13)
  })

  it('is not asked sooner because thirty posts failed together', () => {
    for (let post = 0; post < 30; post += 1) breaker.failed(away)
    expect(clock.next).toBe(1000)
    clock.pass(1000)
    breaker.failed(away)
    expect(clock.next).toBe(1500)
  })

  it.each([
    ['7', 7000],
    ['0.1', 1000],
    ['3600', 60_000],
    ['nonsense', 60_000],
    [' ', 1000],
  ])('and says Retry-After %j is asked again after %i ms', (retryAfter, expected) => {
    breaker.failed(away, retryAfter)
    expect(clock.next).toBe(expected)
  })

  it('is asked at once when somebody knows better than the wait, and only where there is one', () => {
    expect(breaker.tryNow()).toBe(false)
    breaker.failed(away)
    breaker.refused(403, null)
    expect(breaker.tryNow()).toBe(true)
    expect([probes, breaker.mayPost, breaker.isProbing, clock.next]).toEqual([1, true, true, null])
    expect(breaker.tryNow()).toBe(false)
    breaker.end()
    expect(breaker.tryNow()).toBe(false)
    expect(probes).toBe(1)
  })

  it('is well only once a probe is answered, not by the answer to a post from before', () => {
    breaker.failed(away)
    breaker.answered()
    expect(breaker).toMatchObject({ isProbing: true, mayPost: false })
    clock.pass(1000)
    expect(breaker).toMatchObject({ isProbing: true, mayPost: true })
    breaker.answered()
    expect(breaker).toMatchObject({ isProbing: false, mayPost: true })
    breaker.failed(away)
    expect(clock.next).toBe(1000)
  })
})

describe('why an upstream is waited for', () => {
  it('is what began the wait, whatever comes of the posts from before it', () => {
    expect(breaker.cause).toBeNull()
    breaker.failed({ at: 7, status: 503, error: null })
    breaker.failed(away)
    breaker.answered()
    expect(breaker.cause).toEqual({ at: 7, status: 503, error: null })
    clock.pass(1000)
    expect(breaker.cause).toBeNull()
    breaker.failed(away)
    expect(breaker.cause).toEqual(away)
  })

  it('is nothing where it refuses us: it said so itself', () => {
    breaker.failed(away)
    breaker.refused(403, 'no such key')
    expect(breaker.cause).toBeNull()
  })
})

describe('an upstream that refuses us', () => {
  it('is asked once a minute, and says since when and why', () => {
    clock.pass(500)
    for (let minute = 0; minute < 3; minute += 1) {
      breaker.refused(403, 'no such key')
      expect(breaker.paused).toEqual({ since: 500, status: 403, answer: 'no such key' })
      expect(clock.next).toBe(60_000)
      clock.pass(60_000)
    }
    expect(probes).toBe(3)
    breaker.answered()
    expect(breaker).toMatchObject({ paused: null, isProbing: false })
  })

  it('is asked once a minute also when others found nobody just before', () => {
    breaker.failed(away)
    breaker.refused(401, '')
    expect(clock.next).toBe(60_000)
    expect(breaker.paused).toMatchObject({ status: 401 })
  })

  it('and then is away is waited for as one that is away', () => {
    breaker.refused(404, '')
    clock.pass(60_000)
    breaker.failed(away)
    expect(breaker.paused).toBeNull()
    expect(clock.next).toBe(1000)
  })
})

describe('a relay that ends', () => {
  it('lets no probe go, whatever comes of the posts that are open still', () => {
    breaker.failed(away)
    breaker.end()
    breaker.refused(403, '')
    breaker.failed(away)
    clock.pass(120_000)
    expect(probes).toBe(0)
    expect(breaker.mayPost).toBe(false)
  })
})

describe('a pause is told', () => {
  it('once, whatever each probe comes to, and so is its end', () => {
    for (let probe = 0; probe < 3; probe += 1) {
      breaker.refused(403, null)
      clock.pass(60_000)
    }
    breaker.failed(away)
    clock.pass(60_000)
    breaker.refused(401, null)
    expect(told).toEqual([403])
    // One of the posts from before the wait.
    breaker.answered()
    expect(told).toEqual([403])
    clock.pass(60_000)
    breaker.answered()
    breaker.answered()
    expect(told).toEqual([403, null])
    breaker.refused(404, null)
    expect(told).toEqual([403, null, 404])
  })

  it('of none that only does not answer', () => {
    breaker.failed(away)
    clock.pass(60_000)
    breaker.answered()
    expect(told).toEqual([])
  })
})
