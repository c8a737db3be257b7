import { describe, expect, it } from 'vitest'
import { LOOK_MS, watchIntake } from '../../../collector/http/intake-load'

function watched() {
  const state = { now: 0, share: 0, look: () => undefined as unknown }
  const load = watchIntake({
    busyShare: () => state.share,
    repeat: (work) => {
      state.look = work
      return () => undefined
    },
    monotonic: () => state.now,
  })
  /** So many envelopes wait for so long each, and then it is looked. */
  const receive = async (envelopes: number, waitMs: number): Promise<boolean> => {
    let commit: () => void = () => undefined
    const committed = new Promise<void>((resolve) => {
      commit = resolve
    })
    const noted = Array.from({ length: envelopes }, () => load.note(committed))
    state.now += waitMs
    commit()
    await Promise.all(noted)
    state.look()
    return load.isBusy()
  }
  return { load, state, receive }
}

describe('intake', () => {
  it('has its hands full when 24 wait at once on average, and not when fewer do', async () => {
    const { receive } = watched()
    expect(await receive(23, LOOK_MS)).toBe(false)
    expect(await receive(24, LOOK_MS)).toBe(true)
    expect(await watched().receive(240, LOOK_MS / 10)).toBe(true)
  })

  it('has them full until fewer than 10 wait, and the thread has a fifth of its time left', async () => {
    const { state, receive } = watched()
    expect(await receive(24, LOOK_MS)).toBe(true)
    expect(await receive(10, LOOK_MS)).toBe(true)
    expect(await receive(9, LOOK_MS)).toBe(false)
    expect(await receive(10, LOOK_MS)).toBe(false)
    state.share = 0.95
    expect(await receive(20, 1)).toBe(true)
    state.share = 0.85
    expect(await receive(20, 1)).toBe(true)
    state.share = 0.8
    expect(await receive(20, 1)).toBe(false)
    state.share = 0.85
    expect(await receive(20, 1)).toBe(false)
  })

  it('has its hands full when the thread has no time left and envelopes come', async () => {
    const { state, receive } = watched()
    state.share = 0.95
    expect(await receive(19, 1)).toBe(false)
    expect(await receive(20, 1)).toBe(true)
    state.share = 0.5
    expect(await receive(20, 1)).toBe(false)
  })

  it('lets others go on after 10 s, and is let first again only once it was at ease', async () => {
    const { receive } = watched()
    const looks = 10_000 / LOOK_MS
    for (let look = 0; look < looks; look += 1) expect(await receive(30, LOOK_MS)).toBe(true)
    expect(await receive(30, LOOK_MS)).toBe(false)
    expect(await receive(30, LOOK_MS)).toBe(false)
    expect(await receive(0, 0)).toBe(false)
    expect(await receive(30, LOOK_MS)).toBe(true)
  })

  it('tells once who gave way that its hands are free again', async () => {
    const { load, receive } = watched()
    let told = 0
    load.onEase(() => {
      told += 1
    })
    await receive(0, 0)
    await receive(30, LOOK_MS)
    await receive(30, LOOK_MS)
    expect(told).toBe(0)
    await receive(0, 0)
    await receive(0, 0)
    expect(told).toBe(1)
  })

  it('tells other threads by one shared cell', async () => {
    const { load, receive } = watched()
    expect(load.cell.buffer).toBeInstanceOf(SharedArrayBuffer)
    await receive(30, LOOK_MS)
    expect(Atomics.load(load.cell, 0)).toBe(1)
  })

  it('hands through what an append comes to, its failure too', async () => {
    const { load } = watched()
    expect(await load.note(Promise.resolve(7))).toBe(7)
    await expect(load.note(Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk is full')
  })
})
