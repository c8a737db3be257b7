import { type Lifeboat, REFUSED_SUFFIX, UNREADABLE_SUFFIX } from './lifeboat'
import type { CollectorBreaker, Post } from './post'
import type { Schedule } from './read-body'
import type { Report } from './report'

const FIRST_RETRY_MS = 1000
const RETRY_FACTOR = 1.5
const MAX_RETRY_MS = 60_000

export interface DrainReport {
  /** Accepted by the collector. */
  readonly delivered: number
  /** Refused by the collector (4xx); renamed to `.refused` until the next start. */
  readonly refused: number
  /** Damaged; renamed to `.unreadable`. */
  readonly unreadable: number
  /** Still in the lifeboat. */
  readonly left: number
  /** Why it ended before the lifeboat was empty; `null` when it is empty. */
  readonly stopped: string | null
}

interface Drain {
  run(): Promise<DrainReport>
  /** The collector answered, so the lifeboat can be drained. */
  collectorAnswered(): void
  /** An envelope was stored: schedules a retry, even when no more requests arrive. */
  envelopeStored(): void
  close(): Promise<void>
}

interface Parts {
  readonly lifeboat: Lifeboat
  readonly post: Post
  readonly breaker: CollectorBreaker
  readonly schedule: Schedule
  readonly report: Report
}

type FileResult = 'delivered' | 'refused' | 'unreadable' | 'gone' | 'stuck' | { readonly stopped: string }

export function createDrain({ lifeboat, post, breaker, schedule, report }: Parts): Drain {
  let running: Promise<DrainReport> | null = null
  let mayHaveFiles = true
  let isFirst = true
  let isClosed = false
  let retries = 0
  let cancelRetry: (() => void) | null = null

  async function deliver(name: string): Promise<FileResult> {
    const read = await lifeboat.read(name)
    if (!read.ok) return stuck(read.error)
    if ('gone' in read.value) return 'gone'
    if ('unreadable' in read.value) {
      report({ kind: 'unreadable', file: name, reason: read.value.unreadable })
      const marked = await lifeboat.mark(name, UNREADABLE_SUFFIX)
      return marked.ok ? 'unreadable' : stuck(marked.error)
    }
    const { receipt } = read.value.found
    const answer = await post(read.value.found)
    if (!answer.ok) {
      breaker.failed(answer.error)
      return { stopped: answer.error }
    }
    breaker.succeeded()
    retries = 0
    const { status } = answer.value
    const isAccepted = status < 300
    report(isAccepted ? { kind: 'delivered', receipt, status } : { kind: 'undeliverable', file: name, status })
    const done = isAccepted ? await lifeboat.remove(name) : await lifeboat.mark(name, REFUSED_SUFFIX)
    if (!done.ok) return stuck(done.error)
    return isAccepted ? 'delivered' : 'refused'
  }

  /** Skips a file that can be neither delivered nor renamed, so that it does not block the next one. */
  function stuck(reason: string): FileResult {
    report({ kind: 'lifeboat', reason })
    return 'stuck'
  }

  async function deliverAll(): Promise<DrainReport> {
    const counts = { delivered: 0, refused: 0, unreadable: 0 }
    if (isFirst) {
      isFirst = false
      const removed = await lifeboat.removeIncomplete()
      if (!removed.ok) report({ kind: 'lifeboat', reason: removed.error })
      const restored = await lifeboat.restoreRefused()
      if (!restored.ok) report({ kind: 'lifeboat', reason: restored.error })
    }
    const seen = new Set<string>()
    for (;;) {
      mayHaveFiles = false
      const listed = await lifeboat.list()
      if (!listed.ok) {
        report({ kind: 'lifeboat', reason: listed.error })
        mayHaveFiles = true
        return { ...counts, left: 0, stopped: listed.error }
      }
      const names = listed.value.filter((name) => !seen.has(name))
      if (names.length === 0) {
        const left = listed.value.length
        if (left === 0) return { ...counts, left, stopped: null }
        mayHaveFiles = true
        return { ...counts, left, stopped: 'some files can be neither delivered nor renamed' }
      }
      for (const [index, name] of names.entries()) {
        seen.add(name)
        const result: FileResult = isClosed ? { stopped: 'the tunnel was closed' } : await deliver(name)
        if (typeof result === 'object') {
          mayHaveFiles = true
          return { ...counts, left: names.length - index, stopped: result.stopped }
        }
        if (result !== 'gone' && result !== 'stuck') counts[result]++
      }
    }
  }

  function run(): Promise<DrainReport> {
    cancelRetry?.()
    cancelRetry = null
    running ??= deliverAll().finally(() => {
      running = null
      scheduleRetry()
    })
    return running
  }

  function scheduleRetry(): void {
    if (isClosed || !mayHaveFiles || cancelRetry !== null || running !== null) return
    const waitMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * RETRY_FACTOR ** retries)
    retries++
    cancelRetry = schedule(() => {
      cancelRetry = null
      runInBackground()
    }, waitMs)
  }

  function runInBackground(): void {
    run().catch((error: unknown) => report({ kind: 'bug', error }))
  }

  return {
    run,
    collectorAnswered() {
      retries = 0
      if (mayHaveFiles && running === null && !isClosed) runInBackground()
    },
    envelopeStored() {
      mayHaveFiles = true
      scheduleRetry()
    },
    async close() {
      isClosed = true
      cancelRetry?.()
      cancelRetry = null
      // The caller of `run` gets its error; closing ignores it.
      await running?.catch(() => undefined)
    },
  }
}
