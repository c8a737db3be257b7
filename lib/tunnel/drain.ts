import type { Gate } from './gate'
import { REFUSED_SUFFIX, UNREADABLE_SUFFIX } from './kept-file'
import type { Lifeboat } from './lifeboat'
import type { Post } from './post'
import type { Report } from './tunnel-event'

const FIRST_RETRY_MS = 1000
const RETRY_FACTOR = 1.5
const LONGEST_RETRY_MS = 60_000

/** Runs `work` later and returns what calls it off. Must not keep the process alive. */
export type Schedule = (work: () => void, ms: number) => () => void

export interface DrainReport {
  /** Taken by the collector. */
  readonly delivered: number
  /** Finally refused by the collector (4xx), and set aside as `.refused` until the next start. */
  readonly refused: number
  /** Set aside as `.unreadable`. */
  readonly unreadable: number
  /** Still there. */
  readonly left: number
  /** Why it ended before the lifeboat was empty; `null` when it did not. */
  readonly stopped: string | null
}

export interface Drain {
  /** Empties the lifeboat, oldest first. One at a time: a call during a drain waits for that one. */
  run(): Promise<DrainReport>
  /** The collector has just answered: now is the time. */
  collectorAnswered(): void
  /** Something was kept: it must be tried again, even when nothing more comes in. */
  kept(): void
  close(): Promise<void>
}

interface Parts {
  readonly lifeboat: Lifeboat
  readonly post: Post
  readonly gate: Gate
  readonly schedule: Schedule
  readonly report: Report
}

type DeliveryStatus = 'delivered' | 'refused' | 'unreadable' | 'gone' | 'stuck' | { readonly stopped: string }

export function createDrain({ lifeboat, post, gate, schedule, report }: Parts): Drain {
  let running: Promise<DrainReport> | null = null
  let mayHoldSome = true
  let isFirst = true
  let isClosed = false
  let retries = 0
  let callOff: (() => void) | null = null

  async function deliver(name: string): Promise<DeliveryStatus> {
    const read = await lifeboat.read(name)
    if (!read.ok) return stuck(read.error)
    if ('gone' in read.value) return 'gone'
    if ('unreadable' in read.value) {
      report({ kind: 'unreadable', file: name, reason: read.value.unreadable })
      const aside = await lifeboat.setAside(name, UNREADABLE_SUFFIX)
      return aside.ok ? 'unreadable' : stuck(aside.error)
    }
    const { receipt } = read.value.found
    const answer = await post(read.value.found)
    if (!answer.ok) {
      gate.failed(answer.error)
      return { stopped: answer.error }
    }
    gate.succeeded()
    retries = 0
    const { status } = answer.value
    const isTaken = status < 300
    report(isTaken ? { kind: 'delivered', receipt, status } : { kind: 'set-aside', file: name, status })
    const done = isTaken ? await lifeboat.remove(name) : await lifeboat.setAside(name, REFUSED_SUFFIX)
    if (!done.ok) return stuck(done.error)
    return isTaken ? 'delivered' : 'refused'
  }

  /** One file that cannot be dealt with never blocks the next. */
  function stuck(reason: string): DeliveryStatus {
    report({ kind: 'lifeboat', reason })
    return 'stuck'
  }

  async function empty(): Promise<DrainReport> {
    const counts = { delivered: 0, refused: 0, unreadable: 0 }
    if (isFirst) {
      isFirst = false
      const leftovers = await lifeboat.removeLeftovers()
      if (!leftovers.ok) report({ kind: 'lifeboat', reason: leftovers.error })
      const refused = await lifeboat.takeBackRefused()
      if (!refused.ok) report({ kind: 'lifeboat', reason: refused.error })
    }
    const seen = new Set<string>()
    for (;;) {
      mayHoldSome = false
      const listed = await lifeboat.list()
      if (!listed.ok) {
        report({ kind: 'lifeboat', reason: listed.error })
        mayHoldSome = true
        return { ...counts, left: 0, stopped: listed.error }
      }
      const names = listed.value.filter((name) => !seen.has(name))
      if (names.length === 0) {
        const left = listed.value.length
        if (left === 0) return { ...counts, left, stopped: null }
        mayHoldSome = true
        return { ...counts, left, stopped: 'some files can be neither delivered nor set aside' }
      }
      for (const [index, name] of names.entries()) {
        seen.add(name)
        const deliveryStatus: DeliveryStatus = isClosed ? { stopped: 'the tunnel was closed' } : await deliver(name)
        if (typeof deliveryStatus === 'object') {
          mayHoldSome = true
          return { ...counts, left: names.length - index, stopped: deliveryStatus.stopped }
        }
        if (deliveryStatus !== 'gone' && deliveryStatus !== 'stuck') counts[deliveryStatus]++
      }
    }
  }

  function run(): Promise<DrainReport> {
    callOff?.()
    callOff = null
    running ??= empty().finally(() => {
      running = null
      retryLater()
    })
    return running
  }

  function retryLater(): void {
    if (isClosed || !mayHoldSome || callOff !== null || running !== null) return
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * RETRY_FACTOR ** retries)
    retries++
    callOff = schedule(() => {
      callOff = null
      runUnwatched()
    }, wait)
  }

  function runUnwatched(): void {
    run().catch((error: unknown) => report({ kind: 'bug', error }))
  }

  return {
    run,
    collectorAnswered() {
      retries = 0
      if (mayHoldSome && running === null && !isClosed) runUnwatched()
    },
    kept() {
      mayHoldSome = true
      retryLater()
    },
    async close() {
      isClosed = true
      callOff?.()
      callOff = null
      // Whoever called `run` is told of a bug in it; closing goes on.
      await running?.catch(() => undefined)
    },
  }
}
