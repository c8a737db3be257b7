import { beforeEach, describe, expect, it } from 'vitest'
import { CircuitBreaker } from '../../../collector/relay/condition'
import { HandClock } from './relay-parts'

const away = { at: 0, status: null, error: 'ECONNREFUSED' }

let clock: HandClock
let probes: number
let condition: CircuitBreaker
/** Statuses of the pauses that were told; `null` for their ends. */
let told: (number | null)[]
beforeEach(() => {
  told = []
  clock = new HandClock()
  probes = 0
  const tools = { now: clock.now, later: clock.later, random: () => 0 }
  condition = new CircuitBreaker(
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
      condition.failed(away)
      waits.push(Math.round((condition.retryAt ?? 0) - clock.now()))
      clock.pass(60_000)
    }
    expect(waits.slice(0, 5)).toEqual([1000, 1500, 2250, 3375, 5063])
    expect(waits.at(-1)).toBe(60_000)
    expect(probes).toBe(13)
  })

  it('is not asked sooner because thirty posts failed together', () => {
    for (let post = 0; post < 30; post += 1) condition.failed(away)
    expect(clock.next).toBe(1000)
    clock.pass(1000)
    condition.failed(away)
    expect(clock.next).toBe(1500)
  })

  it.each([
    ['7', 7000],
    ['0.1', 1000],
    ['3600', 60_000],
    ['nonsense', 60_000],
    [' ', 1000],
  ])('and says Retry-After %j is asked again after %i ms', (retryAfter, expected) => {
    condition.failed(away, retryAfter)
    expect(clock.next).toBe(expected)
  })

  it('is asked at once when somebody knows better than the wait, and only where there is one', () => {
    expect(condition.tryNow()).toBe(false)
    condition.failed(away)
    condition.refused(403, null)
    expect(condition.tryNow()).toBe(true)
    expect([probes, condition.mayPost, condition.isProbing, clock.next]).toEqual([1, true, true, null])
    expect(condition.tryNow()).toBe(false)
    condition.end()
    expect(condition.tryNow()).toBe(false)
    expect(probes).toBe(1)
  })

  it('is well only once a probe is answered, not by the answer to a post from before', () => {
    condition.failed(away)
    condition.answered()
    expect(condition).toMatchObject({ isProbing: true, mayPost: false })
    clock.pass(1000)
    expect(condition).toMatchObject({ isProbing: true, mayPost: true })
    condition.answered()
    expect(condition).toMatchObject({ isProbing: false, mayPost: true })
    condition.failed(away)
    expect(clock.next).toBe(1000)
  })
})

describe('why an upstream is waited for', () => {
  it('is what began the wait, whatever comes of the posts from before it', () => {
    expect(condition.why).toBeNull()
    condition.failed({ at: 7, status: 503, error: null })
    condition.failed(away)
    condition.answered()
    expect(condition.why).toEqual({ at: 7, status: 503, error: null })
    clock.pass(1000)
    expect(condition.why).toBeNull()
    condition.failed(away)
    expect(condition.why).toEqual(away)
  })

  it('is nothing where it refuses us: it said so itself', () => {
    condition.failed(away)
    condition.refused(403, 'no such key')
    expect(condition.why).toBeNull()
  })
})

describe('an upstream that refuses us', () => {
  it('is asked once a minute, and says since when and why', () => {
    clock.pass(500)
    for (let minute = 0; minute < 3; minute += 1) {
      condition.refused(403, 'no such key')
      expect(condition.paused).toEqual({ since: 500, status: 403, answer: 'no such key' })
      expect(clock.next).toBe(60_000)
      clock.pass(60_000)
    }
    expect(probes).toBe(3)
    condition.answered()
    expect(condition).toMatchObject({ paused: null, isProbing: false })
  })

  it('is asked once a minute also when others found nobody just before', () => {
    condition.failed(away)
    condition.refused(401, '')
    expect(clock.next).toBe(60_000)
    expect(condition.paused).toMatchObject({ status: 401 })
  })

  it('and then is away is waited for as one that is away', () => {
    condition.refused(404, '')
    clock.pass(60_000)
    condition.failed(away)
    expect(condition.paused).toBeNull()
    expect(clock.next).toBe(1000)
  })
})

describe('a relay that ends', () => {
  it('lets no probe go, whatever comes of the posts that are open still', () => {
    condition.failed(away)
    condition.end()
    condition.refused(403, '')
    condition.failed(away)
    clock.pass(120_000)
    expect(probes).toBe(0)
    expect(condition.mayPost).toBe(false)
  })
})

describe('a pause is told', () => {
  it('once, whatever each probe comes to, and so is its end', () => {
    for (let probe = 0; probe < 3; probe += 1) {
      condition.refused(403, null)
      clock.pass(60_000)
    }
    condition.failed(away)
    clock.pass(60_000)
    condition.refused(401, null)
    expect(told).toEqual([403])
    // One of the posts from before the wait.
    condition.answered()
    expect(told).toEqual([403])
    clock.pass(60_000)
    condition.answered()
    condition.answered()
    expect(told).toEqual([403, null])
    condition.refused(404, null)
    expect(told).toEqual([403, null, 404])
  })

  it('of none that only does not answer', () => {
    condition.failed(away)
    clock.pass(60_000)
    condition.answered()
    expect(told).toEqual([])
  })
})
