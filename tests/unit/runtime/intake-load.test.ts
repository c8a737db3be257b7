import { describe, expect, it } from 'vitest'
import { SAMPLE_MS, watchIntake } from '../../../collector/runtime/intake-load'

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

  it('lets background work continue after 10 s, and pauses it again only after intake was idle', async () => {
    const { receive } = watched()
    const samples = 10_000 / SAMPLE_MS
    for (let sample = 0; sample < samples; sample += 1) expect(await receive(30, SAMPLE_MS)).toBe(true)
    expect(await receive(30, SAMPLE_MS)).toBe(false)
    expect(await receive(30, SAMPLE_MS)).toBe(false)
    expect(await receive(0, 0)).toBe(false)
    expect(await receive(30, SAMPLE_MS)).toBe(true)
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
