import { describe, expect, it } from 'vitest'
import type { startThread } from '../../../collector/runtime/thread-call'
import { StoppingError, UnscrubbedError } from '../../../collector/runtime/thread-errors'
import { createScrubber, SMALL_BYTES, scrubBudgetMs } from '../../../collector/scrubber'

const BODY = new Uint8Array([1, 2, 3])

/** Fake threads that answer when a test says so. */
function handThreads() {
  const calls: { readonly args: readonly unknown[]; readonly answer: (value: unknown) => void }[] = []
  let started = 0
  let waiting: (() => void)[] = []
  const start: typeof startThread = ({ onDeath }) => {
    started += 1
    let reject: (error: Error) => void = () => undefined
    return {
      call: <Value>(_method: string, ...args: readonly unknown[]) =>
        new Promise<Value>((resolve, fail) => {
          reject = fail
          calls.push({ args, answer: (value) => resolve(value as Value) })
          for (const go of waiting) go()
          waiting = []
        }),
      stop: async () => undefined,
      kill: async (reason) => {
        onDeath(new Error(reason))
        reject(new Error(reason))
      },
    }
  }
  const called = async (many: number): Promise<void> => {
    while (calls.length < many) await new Promise<void>((resolve) => waiting.push(resolve))
  }
  return { start, calls, called, started: () => started }
}

const never = () => () => undefined

describe('a scrubber', () => {
  it('scrubs only where it is enabled, and starts its thread on first use', () => {
    const { start, started } = handThreads()
    const made = (scrub: 'off' | 'report' | 'on', scrubStore: boolean) => {
      const scrubber = createScrubber({ scrub, scrubStore }, never, start)
      return [scrubber.scrub !== null, scrubber.scrubStored !== null]
    }
    expect([made('off', false), made('report', false), made('on', false), made('on', true)]).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ])
    expect(started()).toBe(0)
  })

  it('returns the same body where nothing changes, and sends only the needed part of a block', async () => {
    const { start, calls, called } = handThreads()
    const { scrub } = createScrubber({ scrub: 'on', scrubStore: false }, never, start)
    const part = new Uint8Array(new ArrayBuffer(1000), 10, 3)
    const scrubbing = scrub?.('envelope', part)
    await called(1)
    expect(calls[0]?.args).toEqual(['envelope', new Uint8Array(3), 'on', null, false])
    const [, crossed] = calls[0]?.args ?? []
    expect(crossed instanceof Uint8Array && crossed.buffer.byteLength).toBe(3)
    calls[0]?.answer({ body: null, removed: [] })
    expect((await scrubbing)?.body).toBe(part)
  })

  it('gives the thread the buffer of a body that is to be stored, but a copy of one that others may use', async () => {
    const { start, calls, called } = handThreads()
    const { scrub, scrubStored } = createScrubber({ scrub: 'on', scrubStore: true }, never, start)
    const [relayed, stored] = [new Uint8Array(3), new Uint8Array(3)]
    void scrub?.('envelope', relayed)
    void scrubStored?.('envelope', stored)
    await called(2)
    expect(calls.map(({ args }) => [args[1] === relayed, args[1] === stored, args[4]])).toEqual([
      [false, false, false],
      [false, true, true],
    ])
    for (const { answer } of calls) answer({ body: BODY, removed: [] })
  })

  it('ends a thread at the time limit of its body, and the next record gets a new thread', async () => {
    const { start, calls, called, started } = handThreads()
    const timers: { readonly work: () => void; readonly ms: number }[] = []
    const later = (work: () => void, ms: number) => {
      timers.push({ work, ms })
      return () => undefined
    }
    const { scrub } = createScrubber({ scrub: 'report', scrubStore: false }, later, start)
    if (scrub === null) return expect.fail('nothing is scrubbed')
    const slow = scrub('envelope', new Uint8Array(85 * SMALL_BYTES))
    const next = scrub('tunnel', new Uint8Array(2 * SMALL_BYTES))
    await called(1)
    expect(calls).toHaveLength(1)
    expect(timers[0]?.ms).toBe(22_000)
    timers[0]?.work()
    await expect(slow).rejects.toThrow(UnscrubbedError)
    await expect(slow).rejects.toThrow('it takes longer than 22.0 s, the limit for 85.0 MiB')
    await called(2)
    calls[1]?.answer({ body: BODY, removed: [{ rule: 'key', path: '0.a' }] })
    expect(await next).toEqual({ body: BODY, removed: [{ rule: 'key', path: '0.a' }] })
    expect([timers[1]?.ms, started()]).toEqual([5400, 2])
  })

  it.each([
    [0, 5000],
    [SMALL_BYTES, 5200],
    [100 * SMALL_BYTES, 25_000],
  ])('gives %i bytes %i ms', (bytes, ms) => {
    expect(scrubBudgetMs(bytes)).toBe(ms)
  })

  it('has a thread for small bodies while a large one takes long, and takes the smallest first', async () => {
    const { start, calls, called, started } = handThreads()
    const { scrub } = createScrubber({ scrub: 'on', scrubStore: true }, never, start)
    if (scrub === null) return expect.fail('nothing is scrubbed')
    const sizes = (): readonly number[] =>
      calls.map(({ args }) => (args[1] instanceof Uint8Array ? args[1].byteLength : -1))
    const scrubs = [SMALL_BYTES + 2, SMALL_BYTES + 3, SMALL_BYTES + 1, SMALL_BYTES, 30, 10, 20].map((bytes) =>
      scrub('envelope', new Uint8Array(bytes)),
    )
    await called(2)
    expect(sizes()).toEqual([SMALL_BYTES + 2, SMALL_BYTES])
    for (let at = 1; at < 4; at += 1) {
      calls[at]?.answer({ body: null, removed: [] })
      await called(at + 2)
    }
    expect(sizes().slice(2)).toEqual([10, 20, 30])
    calls[0]?.answer({ body: null, removed: [] })
    await called(6)
    calls[5]?.answer({ body: null, removed: [] })
    await called(7)
    expect(sizes().slice(5)).toEqual([SMALL_BYTES + 1, SMALL_BYTES + 3])
    for (const { answer } of calls) answer({ body: null, removed: [] })
    expect(await Promise.all(scrubs)).toHaveLength(7)
    expect(started()).toBe(2)
  })

  it('at a stop, ends current and waiting work after a short time, and starts nothing', async () => {
    const { start, calls, called, started } = handThreads()
    const timers: { readonly work: () => void; readonly ms: number }[] = []
    const later = (work: () => void, ms: number) => {
      timers.push({ work, ms })
      return () => undefined
    }
    const scrubber = createScrubber({ scrub: 'on', scrubStore: false }, later, start)
    if (scrubber.scrub === null) return expect.fail('nothing is scrubbed')
    const { scrub } = scrubber
    const requests = ['envelope', 'tunnel'].map(() => scrub('envelope', BODY))
    await called(2)
    scrubber.beginStop()
    requests.push(scrub('store', BODY))
    expect(timers[2]?.ms).toBeLessThan(5000)
    timers[2]?.work()
    const ended = await Promise.allSettled(requests)
    expect(ended.map((one) => one.status === 'rejected' && one.reason instanceof StoppingError)).toEqual(
      requests.map(() => true),
    )
    await scrubber.close()
    await expect(scrub('envelope', BODY)).rejects.toThrow(StoppingError)
    expect([calls.length, started()]).toEqual([2, 2])
  })

  it('at a stop, lets work finish in time', async () => {
    const { start, calls, called } = handThreads()
    let running = 0
    const later = () => {
      running += 1
      return () => {
        running -= 1
      }
    }
    const scrubber = createScrubber({ scrub: 'on', scrubStore: false }, later, start)
    const scrubbing = scrubber.scrub?.('envelope', BODY)
    await called(1)
    scrubber.beginStop()
    calls[0]?.answer({ body: null, removed: [] })
    expect((await scrubbing)?.body).toBe(BODY)
    await scrubber.close()
    expect(running).toBe(0)
  })
})
