import { describe, expect, it } from 'vitest'
import { MOST_WAITED_MS, type Moment, waitedMs } from '../../../lib/protocol/waited'
import { createUptime } from '../../../lib/tunnel/uptime'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
const AT = Date.UTC(2026, 10, 20)

/** An hour later by the uptime, with a clock that was moved by `step` meanwhile. */
const hourLater = (from: Moment, step = 0, boot = from.boot): Moment => ({
  at: from.at + HOUR + step,
  boot: boot ?? 'a',
  uptimeMs: (from.uptimeMs ?? 0) + HOUR,
})

describe('the time between two moments', () => {
  const before: Moment = { at: AT, boot: 'a', uptimeMs: 5000 }

  it.each([400 * DAY, DAY, -DAY, -400 * DAY])('is by the uptime where the clock was set by %i ms', (step) => {
    expect(waitedMs(before, hourLater(before, step))).toBe(HOUR)
  })

  it('is by the clock, in ms, where both agree: the uptime counts whole seconds', () => {
    expect(waitedMs(before, hourLater(before, 999))).toBe(HOUR + 999)
    expect(waitedMs(before, { at: AT + 400, boot: 'a', uptimeMs: 5000 })).toBe(400)
  })

  it('is by the clock after a restart of the machine, and for moments without an uptime', () => {
    expect(waitedMs(before, { ...hourLater(before, 0, 'b'), uptimeMs: 10 })).toBe(HOUR)
    expect(waitedMs({ at: AT }, hourLater(before))).toBe(HOUR)
    expect(waitedMs(before, { at: AT + HOUR })).toBe(HOUR)
  })

  it('is unknown where only the clock could say it, and was set', () => {
    expect(waitedMs({ at: AT }, { at: AT - 1 })).toBeNull()
    expect(waitedMs({ at: AT }, { at: AT + MOST_WAITED_MS })).toBe(MOST_WAITED_MS)
    expect(waitedMs({ at: AT }, { at: AT + MOST_WAITED_MS + 1 })).toBeNull()
    expect(waitedMs(before, hourLater(before, 400 * DAY, 'b'))).toBeNull()
    expect(waitedMs({ at: Number.NaN }, { at: AT })).toBeNull()
  })
})

it('the uptime is in ms and has the mark of this start of the machine', () => {
  expect(createUptime('a', () => 1.25)()).toEqual({ boot: 'a', uptimeMs: 1250 })
})

it('the uptime is read at most every 100 ms', () => {
  let [now, seconds] = [0, 1]
  const read = createUptime(
    'a',
    () => seconds,
    () => now,
  )
  expect(read().uptimeMs).toBe(1000)
  seconds = 7200
  now = 99
  expect(read().uptimeMs).toBe(1000)
  now = 100
  expect(read().uptimeMs).toBe(7_200_000)
})

it('the uptime has the same mark in every process on Linux, and grows', () => {
  const [one, other] = [createUptime()(), createUptime()()]
  if (process.platform === 'linux') expect(other.boot).toBe(one.boot)
  expect(one.boot).toMatch(/^[0-9a-f]{8}$/)
  expect(other.uptimeMs).toBeGreaterThanOrEqual(one.uptimeMs)
  expect(one.uptimeMs).toBeGreaterThan(0)
})
