import { describe, expect, it } from 'vitest'
import { createJudge } from '../../../collector/judge/judge'
import { LiveHub } from '../../../collector/live/hub'
import type { startThread } from '../../../collector/thread-call'
import type { JournalFact } from '../../../lib/wire/journal'

/** Threads that answer when a test says so, or at once with how often they were asked. */
function handThreads() {
  const calls: { readonly args: readonly unknown[]; readonly answer: (value: unknown) => void }[] = []
  const ended: string[] = []
  let started = 0
  let atOnce = false
  let reject: (error: Error) => void = () => undefined
  const start: typeof startThread = ({ onDeath }) => {
    started += 1
    return {
      call: <Value>(_method: string, ...args: readonly unknown[]) =>
        new Promise<Value>((resolve, fail) => {
          reject = fail
          calls.push({ args, answer: (value) => resolve(value as Value) })
          if (atOnce) resolve(`answer ${calls.length}` as Value)
        }),
      stop: async () => {
        ended.push('stopped')
      },
      kill: (reason) => {
        ended.push(reason)
        onDeath(new Error(reason))
        reject(new Error(reason))
      },
    }
  }
  const answerAtOnce = (): void => {
    atOnce = true
  }
  /** The call that waits is rejected with this. */
  const fail = (message: string): void => reject(new Error(message))
  return { start, calls, ended, started: () => started, answerAtOnce, fail }
}

/** Work that is done later, when a test says so: the last that is still wanted. */
function handTimers() {
  const waiting = new Map<number, { readonly work: () => void; readonly ms: number }>()
  let last = 0
  return {
    later: (work: () => void, ms: number) => {
      last += 1
      const mine = last
      waiting.set(mine, { work, ms })
      return () => waiting.delete(mine)
    },
    waits: () => [...waiting.values()].map(({ ms }) => ms),
    runAll: () => {
      const works = [...waiting.values()]
      waiting.clear()
      for (const { work } of works) work()
    },
  }
}

const NO_LIMITS: { readonly pages: []; readonly unnamed: number } = { pages: [], unnamed: 0 }
const ALL = { stamp: null, after: 0 }
const factOf = (n: number, kind: JournalFact['kind']): JournalFact => ({ n, at: 0, kind, seq: 1 })

function made() {
  const threads = handThreads()
  const timers = handTimers()
  const hub = new LiveHub(10)
  let newest = 1
  let limits: Parameters<typeof createJudge>[0]['limits'] = async () => NO_LIMITS
  const judge = createJudge({
    folder: '/nowhere',
    newest: async () => newest,
    hub,
    limits: () => limits(),
    collectorUrl: () => 'http://127.0.0.1:8969',
    later: timers.later,
    start: threads.start,
  })
  const setLimits = (given: { readonly pages: []; readonly unnamed: number; readonly now?: number }): void => {
    limits = async () => given
  }
  const receive = (): void => {
    newest += 1
  }
  /** Asks a judge whose thread answers at once. */
  const asked = async (asked: { readonly stamp: string | null; readonly after: number } = ALL): Promise<unknown> => {
    threads.answerAtOnce()
    return judge.contract(asked)
  }
  return { judge, hub, threads, timers, asked, setLimits, receive }
}

describe('a judge', () => {
  it('starts no thread before it is asked, and asks it what it was asked', async () => {
    const { threads, asked } = made()
    expect(threads.started()).toBe(0)
    expect(await asked({ stamp: 'mine', after: 7 })).toBe('answer 1')
    expect([threads.started(), threads.calls[0]?.args]).toEqual([
      1,
      [{ stamp: 'mine', after: 7 }, NO_LIMITS, 'http://127.0.0.1:8969'],
    ])
  })

  it('answers again what it answered, while nothing else is on record', async () => {
    const { hub, asked, setLimits } = made()
    await asked()
    hub.publish([factOf(11, 'digested'), factOf(12, 'delivered'), factOf(13, 'decided')])
    setLimits({ ...NO_LIMITS, now: 2 })
    expect(await asked()).toBe('answer 1')
  })

  it('judges anew where something came, before anybody is told of it', async () => {
    const { asked, receive } = made()
    await asked()
    receive()
    expect(await asked()).toBe('answer 2')
  })

  it.each(['evicted', 'cleared'] as const)('judges anew where something was %s', async (kind) => {
    const { hub, asked } = made()
    await asked()
    hub.publish([factOf(11, kind), factOf(12, 'digested')])
    expect(await asked()).toBe('answer 2')
  })

  it('judges anew where what pages made of a limit is another', async () => {
    const { asked, setLimits } = made()
    await asked()
    setLimits({ pages: [], unnamed: 1 })
    expect(await asked()).toBe('answer 2')
  })

  it('remembers each question, and the last eight', async () => {
    const { asked } = made()
    await asked()
    for (const n of [1, 2, 3, 4, 5, 6, 7]) await asked({ stamp: `stamp-${n}`, after: 0 })
    expect(await asked()).toBe('answer 1')
    await asked({ stamp: 'stamp-8', after: 0 })
    expect(await asked({ stamp: 'stamp-8', after: 0 })).toBe('answer 9')
    expect(await asked()).toBe('answer 10')
  })

  it('is asked once by two who want to know the same', async () => {
    const { judge, threads } = made()
    const answers = [judge.contract(ALL), judge.contract(ALL)]
    await expect.poll(() => threads.calls.length).toBe(1)
    threads.calls[0]?.answer('one')
    expect(await Promise.all(answers)).toEqual(['one', 'one'])
  })

  it('lets its thread go when nobody asks any more, and starts another for who does', async () => {
    const { threads, timers, asked, receive } = made()
    await asked()
    expect(timers.waits()).toEqual([30_000])
    timers.runAll()
    expect(threads.ended).toEqual(['stopped'])
    receive()
    await asked()
    expect(threads.started()).toBe(2)
  })

  it('ends a thread that takes too long, tells who waits what to do, and judges anew when something came', async () => {
    const { judge, threads, timers, asked, receive } = made()
    const answer = judge.contract(ALL)
    await expect.poll(() => threads.calls.length).toBe(1)
    expect(timers.waits()).toEqual([60_000])
    timers.runAll()
    const sentence = 'what is recorded could not be judged within 60 s: ask for less of it, by after=N or stamp=S'
    await expect(answer).rejects.toThrow(sentence)
    await expect(asked()).rejects.toThrow(sentence)
    expect(threads.started()).toBe(1)
    receive()
    expect(await asked()).toBe('answer 2')
    expect(threads.started()).toBe(2)
  })

  it('begins again what failed by something else than how much it is', async () => {
    const { judge, threads, asked } = made()
    const answer = judge.contract(ALL)
    await expect.poll(() => threads.calls.length).toBe(1)
    threads.fail('the file is locked')
    await expect(answer).rejects.toThrow('the file is locked')
    expect(await asked()).toBe('answer 2')
  })

  it('does not begin again what takes too much memory', async () => {
    const { judge, threads, asked } = made()
    const answer = judge.contract(ALL)
    await expect.poll(() => threads.calls.length).toBe(1)
    threads.fail('Worker terminated due to reaching memory limit: JS heap out of memory')
    await expect(answer).rejects.toThrow('takes more than 1024 MiB of memory to judge: ask for less of it')
    await expect(asked()).rejects.toThrow('takes more than 1024 MiB')
    expect(threads.calls).toHaveLength(1)
  })

  it('ends with its thread, and answers nobody afterwards', async () => {
    const { judge, threads, timers, asked } = made()
    await asked()
    await judge.close()
    expect([threads.ended, timers.waits()]).toEqual([['stopped'], []])
    await expect(judge.contract({ stamp: 'other', after: 0 })).rejects.toThrow('stopping')
    await createJudge({
      folder: '',
      newest: async () => 0,
      hub: new LiveHub(0),
      limits: async () => NO_LIMITS,
      collectorUrl: () => '',
      later: timers.later,
    }).close()
  })
})
