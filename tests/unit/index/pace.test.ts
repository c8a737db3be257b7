import { describe, expect, it } from 'vitest'
import { MAX_LAG_MS, Pace } from '../../../collector/index/digest-pace'

function aPace() {
  const state = { now: 0, busy: false }
  return { state, pace: new Pace({ isIntakeBusy: () => state.busy, monotonic: () => state.now }) }
}

describe('a batch', () => {
  it('is digested at once where nothing is going on', () => {
    const { pace } = aPace()
    expect(pace.delay()).toBe(0)
  })

  it('gathers for 20 ms behind one that ended with the record', () => {
    const { pace, state } = aPace()
    pace.stepped(false)
    state.now = 5
    expect(pace.delay()).toBe(15)
    state.now = 20
    expect(pace.delay()).toBe(0)
  })

  it('follows at once behind one that was whole', () => {
    const { pace } = aPace()
    pace.stepped(true)
    expect(pace.delay()).toBe(0)
  })
})

describe('while intake has its hands full the digest', () => {
  it('gives way, until there is time again', () => {
    const { pace, state } = aPace()
    state.busy = true
    expect(pace.delay()).toBeGreaterThan(0)
    state.busy = false
    expect(pace.delay()).toBe(0)
  })

  it('lags by 10 s at most, then catches up whatever comes, and only then gives way again', () => {
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

  it('counts its lag from when it gave way first, and not anew after each pause', () => {
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
