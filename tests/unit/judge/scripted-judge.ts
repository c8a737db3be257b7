import { expect } from 'vitest'
import { LiveHub } from '../../../collector/api/live-hub'
import { createJudge } from '../../../collector/judge/judge'
import type { startThread } from '../../../collector/runtime/thread-call'

/** Threads that answer when a test calls `answer`, or at once with the number of calls. */
function scriptedThreads() {
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
      kill: async (reason) => {
        ended.push(reason)
        onDeath(new Error(reason))
        reject(new Error(reason))
      },
    }
  }
  const answerAtOnce = (): void => {
    atOnce = true
  }
  /** Rejects the waiting call. */
  const fail = (message: string): void => reject(new Error(message))
  return { start, calls, ended, started: () => started, answerAtOnce, fail }
}

/** Timers that a test runs by hand. */
function scriptedTimers() {
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

export const NO_LIMITS: { readonly pages: []; readonly unnamed: number } = { pages: [], unnamed: 0 }
export const ALL = { stamp: null, after: 0 }

/** A judge whose thread, clock and record a test controls. */
export function scriptedJudge() {
  const threads = scriptedThreads()
  const timers = scriptedTimers()
  const hub = new LiveHub(10)
  let newest = 1
  let moreEachTime = 0
  let now = 0
  let limits: Parameters<typeof createJudge>[0]['pageLimits'] = async () => NO_LIMITS
  const judge = createJudge({
    folder: '/nowhere',
    newest: async () => {
      newest += moreEachTime
      return newest
    },
    hub,
    pageLimits: () => limits(),
    collectorUrl: () => 'http://127.0.0.1:8969',
    later: timers.later,
    monotonic: () => now,
    start: threads.start,
  })
  const setLimits = (given: { readonly pages: []; readonly unnamed: number; readonly now?: number }): void => {
    limits = async () => given
  }
  const receive = (): void => {
    newest += 1
  }
  /** Queries the judge with a thread that answers at once. */
  const query = async (request: { readonly stamp: string | null; readonly after: number } = ALL): Promise<unknown> => {
    threads.answerAtOnce()
    return judge.contract(request)
  }
  /** Adds a submission whenever the judge reads the number of the newest one. */
  const receiveAlways = (): void => {
    moreEachTime = 1
  }
  const pass = (ms: number): void => {
    now += ms
  }
  /** Makes the first query, which takes this long. */
  const judgedIn = async (ms: number): Promise<void> => {
    const answer = judge.contract(ALL)
    await expect.poll(() => threads.calls.length).toBe(1)
    pass(ms)
    threads.calls[0]?.answer('answer 1')
    await answer
  }
  return { judge, hub, threads, timers, query, setLimits, receive, receiveAlways, pass, judgedIn }
}
