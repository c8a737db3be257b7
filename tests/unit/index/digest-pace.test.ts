import { describe, expect, it } from 'vitest'
import { MAX_LAG_MS, Pace } from '../../../collector/index/digest-pace'

function aPace() {
  const state = { now: 0, busy: false }
  return { state, pace: new Pace({ isIntakeBusy: () => state.busy, monotonic: () => state.now }) }
}

describe('a batch', () => {
  it('runs at once when idle', () => {
    const { pace } = aPace()
    expect(pace.delay()).toBe(0)
  })

  it('waits 20 ms after one that reached the end of the record', () => {
    const { pace, state } = aPace()
    pace.stepped(false)
    state.now = 5
    expect(pace.delay()).toBe(15)
    state.now = 20
    expect(pace.delay()).toBe(0)
  })

  it('runs at once after a full one', () => {
    const { pace } = aPace()
    pace.stepped(true)
    expect(pace.delay()).toBe(0)
  })
})

describe('the digest while intake is busy', () => {
  it('yields until intake is idle', () => {
    const { pace, state } = aPace()
    state.busy = true
    expect(pace.delay()).toBeGreaterThan(0)
    state.busy = false
    expect(pace.delay()).toBe(0)
  })

  it('yields for at most 10 s, then catches up before it yields again', () => {
    const { pace, state } = aPace()
    state.busy = true
    expect(pace.delay()).toBeGreaterThan(0)
    state.now = MAX_LAG_MS - 1
    expect(pace.delay()).toBeGreaterThan(0)
    state.now = MAX_LAG_MS
    expect(pace.delay()).toBe(0)
    pace.stepped(true)
    expect(pace.delay()).toBe(0)
    pace.stepped(false)
    expect(pace.delay()).toBeGreaterThan(0)
  })

  it('counts the 10 s from the first time it yielded', () => {
    const { pace, state } = aPace()
    state.busy = true
    pace.delay()
    state.busy = false
    state.now = 6000
    pace.delay()
    state.busy = true
    state.now = MAX_LAG_MS
    expect(pace.delay()).toBe(0)
  })
})
