import { beforeEach, describe, expect, it } from 'vitest'
import { FIRST_WAIT_MS, LONGEST_WAIT_MS, UpstreamBreaker, waitAfter } from '../../../collector/relay/upstream-breaker'
import { HandClock } from './relay-parts'

const away = { at: 0, status: null, error: 'ECONNREFUSED' }

let clock: HandClock
let probes: number
let breaker: UpstreamBreaker
/** Statuses of the reported pauses; `null` for the end of one. */
let reported: (number | null)[]
beforeEach(() => {
  reported = []
  clock = new HandClock()
  probes = 0
  const tools = { now: clock.now, later: clock.later, random: () => 0 }
  breaker = new UpstreamBreaker(
    tools,
    () => {
      probes += 1
    },
    (paused) => reported.push(paused?.status ?? null),
  )
})

describe('an upstream that does not answer', () => {
  it('gets a probe after 1 s, then after waits that grow by half, up to a minute', () => {
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

  it('starts one wait when thirty posts fail together', () => {
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
  ])('after Retry-After %j the relay sends a probe after %i ms', (retryAfter, expected) => {
    breaker.failed(away, retryAfter)
    expect(clock.next).toBe(expected)
  })

  it('gets a probe at once on request, if there is a wait', () => {
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

  it('recovers by the answer to a probe, not to an earlier post', () => {
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

it('the cause of a wait is the failure that began it, even if earlier posts return something else', () => {
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

it('the cause of a wait is null for a refused DSN, which has its own answer', () => {
  breaker.failed(away)
  breaker.refused(403, 'no such key')
  expect(breaker.cause).toBeNull()
})

describe('an upstream that refuses the DSN', () => {
  it('gets one probe a minute, and keeps the time and answer of the first refusal', () => {
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

  it('gets one probe a minute also after a failed connection', () => {
    breaker.failed(away)
    breaker.refused(401, '')
    expect(clock.next).toBe(60_000)
    expect(breaker.paused).toMatchObject({ status: 401 })
  })

  it('a failure after the refusal backs off like any failure', () => {
    breaker.refused(404, '')
    clock.pass(60_000)
    breaker.failed(away)
    expect(breaker.paused).toBeNull()
    expect(clock.next).toBe(1000)
  })
})

it('a relay that ends sends no probe when the open posts return', () => {
  breaker.failed(away)
  breaker.end()
  breaker.refused(403, '')
  breaker.failed(away)
  clock.pass(120_000)
  expect(probes).toBe(0)
  expect(breaker.mayPost).toBe(false)
})

it('a pause is reported once, and so is its end, also when probes return something else', () => {
  for (let probe = 0; probe < 3; probe += 1) {
    breaker.refused(403, null)
    clock.pass(60_000)
  }
  breaker.failed(away)
  clock.pass(60_000)
  breaker.refused(401, null)
  expect(reported).toEqual([403])
  // An answer to a post from before the wait.
  breaker.answered()
  expect(reported).toEqual([403])
  clock.pass(60_000)
  breaker.answered()
  breaker.answered()
  expect(reported).toEqual([403, null])
  breaker.refused(404, null)
  expect(reported).toEqual([403, null, 404])
})

it('a failure without a refusal reports no pause', () => {
  breaker.failed(away)
  clock.pass(60_000)
  breaker.answered()
  expect(reported).toEqual([])
})

describe('the wait after failures in a row', () => {
  it('starts at 1 s, grows by half and ends at a minute', () => {
    const waits = Array.from({ length: 13 }, (_, index) => waitAfter(index + 1, 0))
    expect(waits).toEqual([1000, 1500, 2250, 3375, 5063, 7594, 11391, 17086, 25629, 38443, 57665, 60000, 60000])
  })

  it('is shortened by up to a fifth, so that relays do not retry in step', () => {
    expect(waitAfter(1, 1)).toBe(FIRST_WAIT_MS * 0.8)
    expect(waitAfter(100, 0.5)).toBe(LONGEST_WAIT_MS * 0.9)
  })

  it('stays a minute however long upstream fails', () => {
    expect(waitAfter(100_000, 0)).toBe(LONGEST_WAIT_MS)
  })
})
