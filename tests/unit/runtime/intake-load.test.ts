import { describe, expect, it } from 'vitest'
import { createPace, SAMPLE_MS, watchIntake } from '../../../collector/runtime/intake-load'

function watched() {
  const state = { now: 0, share: 0, sample: () => undefined as unknown }
  const load = watchIntake({
    busyShare: () => state.share,
    repeat: (work) => {
      state.sample = work
      return () => undefined
    },
    monotonic: () => state.now,
  })
  /** Lets this many envelopes wait for their commit, then takes a sample. */
  const receive = async (envelopes: number, waitMs: number): Promise<boolean> => {
    let commit: () => void = () => undefined
    const committed = new Promise<void>((resolve) => {
      commit = resolve
    })
    const measured = Array.from({ length: envelopes }, () => load.measure(committed))
    state.now += waitMs
    commit()
    await Promise.all(measured)
    state.sample()
    return load.isBusy()
  }
  return { load, state, receive }
}

describe('watchIntake', () => {
  it('is busy when 24 envelopes wait at once on average, and not with fewer', async () => {
    const { receive } = watched()
    expect(await receive(23, SAMPLE_MS)).toBe(false)
    expect(await receive(24, SAMPLE_MS)).toBe(true)
    expect(await watched().receive(240, SAMPLE_MS / 10)).toBe(true)
  })

  it('stays busy until fewer than 10 wait and the thread is idle for a fifth of its time', async () => {
    const { state, receive } = watched()
    expect(await receive(24, SAMPLE_MS)).toBe(true)
    expect(await receive(10, SAMPLE_MS)).toBe(true)
    expect(await receive(9, SAMPLE_MS)).toBe(false)
    expect(await receive(10, SAMPLE_MS)).toBe(false)
    state.share = 0.95
    expect(await receive(20, 1)).toBe(true)
    state.share = 0.85
    expect(await receive(20, 1)).toBe(true)
    state.share = 0.8
    expect(await receive(20, 1)).toBe(false)
    state.share = 0.85
    expect(await receive(20, 1)).toBe(false)
  })

  it('is busy when the thread has no idle time and envelopes arrive', async () => {
    const { state, receive } = watched()
    state.share = 0.95
    expect(await receive(19, 1)).toBe(false)
    expect(await receive(20, 1)).toBe(true)
    state.share = 0.5
    expect(await receive(20, 1)).toBe(false)
  })

  it('lets background work continue after 10 s, and pauses it again for as long as intake was idle', async () => {
    const { receive } = watched()
    const samples = 10_000 / SAMPLE_MS
    for (let sample = 0; sample < samples; sample += 1) expect(await receive(30, SAMPLE_MS)).toBe(true)
    expect(await receive(30, SAMPLE_MS)).toBe(false)
    expect(await receive(30, SAMPLE_MS)).toBe(false)
    for (let idle = 0; idle < 2; idle += 1) expect(await receive(0, 0)).toBe(false)
    for (let sample = 0; sample < 2; sample += 1) expect(await receive(30, SAMPLE_MS)).toBe(true)
    expect(await receive(30, SAMPLE_MS)).toBe(false)
  })

  it('counts the 10 s over pauses with little idle time between them', async () => {
    const { receive } = watched()
    const samples = 6000 / SAMPLE_MS
    for (let sample = 0; sample < samples; sample += 1) await receive(30, SAMPLE_MS)
    for (let idle = 0; idle < 10; idle += 1) await receive(0, 0)
    let paused = 0
    for (let sample = 0; sample < samples; sample += 1) if (await receive(30, SAMPLE_MS)) paused += SAMPLE_MS
    expect(paused).toBe(5000)
  })

  it('calls its listeners once when intake becomes idle', async () => {
    const { load, receive } = watched()
    let calls = 0
    load.onIdle(() => {
      calls += 1
    })
    await receive(0, 0)
    await receive(30, SAMPLE_MS)
    await receive(30, SAMPLE_MS)
    expect(calls).toBe(0)
    await receive(0, 0)
    await receive(0, 0)
    expect(calls).toBe(1)
  })

  it('shares its state with other threads in one cell', async () => {
    const { load, receive } = watched()
    expect(load.cell.buffer).toBeInstanceOf(SharedArrayBuffer)
    await receive(30, SAMPLE_MS)
    expect(Atomics.load(load.cell, 0)).toBe(1)
  })

  it('returns the result of an append, or its error', async () => {
    const { load } = watched()
    expect(await load.measure(Promise.resolve(7))).toBe(7)
    await expect(load.measure(Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk is full')
  })
})

describe('the pace of a thread', () => {
  function aPace() {
    const state = { now: 0, cell: new Int32Array(1) }
    return { state, pace: createPace({ cell: state.cell, monotonic: () => state.now }) }
  }

  it('runs a batch at once when idle', () => {
    expect(aPace().pace.delay()).toBe(0)
  })

  it('waits 20 ms after a batch that reached the end of the record', () => {
    const { pace, state } = aPace()
    pace.stepped(false)
    state.now = 5
    expect(pace.delay()).toBe(15)
    state.now = 20
    expect(pace.delay()).toBe(0)
  })

  it('runs a batch at once after a full one', () => {
    const { pace } = aPace()
    pace.stepped(true)
    expect(pace.delay()).toBe(0)
  })

  it('waits while the cell is 1, also after a full batch', () => {
    const { pace, state } = aPace()
    state.cell[0] = 1
    pace.stepped(true)
    expect(pace.delay()).toBeGreaterThan(0)
    state.cell[0] = 0
    expect(pace.delay()).toBe(0)
  })
})
