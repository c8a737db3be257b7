import { workerData } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { createPace } from '../runtime/intake-load'
import { SpoolDamagedError } from '../runtime/sqlite-errors'
import { answerCalls, awaitTurn, type PlainError, threadPort, toPlainError } from '../runtime/thread-call'
import { lastNumber, openLocal } from '../spool/local'
import { Digest, type DigestState } from './digest'
import type { Batch } from './digest-batch'

export interface DigestNews {
  readonly state?: DigestState
  readonly batch?: Batch
  /** Why the index cannot be written at the moment; `null` when it can. */
  readonly stuck?: PlainError | null
  readonly log?: string
  /** The rebuilt index is ready: stop the readers and call `switchOver`. */
  readonly switchable?: true
}

/**
 * Sequence numbers are never reused: an index that reaches further than the record means that the end of the record was
 * lost (log deleted, older copy put back). New envelopes would get numbers that the index has already used.
 */
function refuseLostRecord(spool: Database, cursor: number): void {
  const last = lastNumber(spool)
  if (cursor <= last) return
  throw new Error(
    `the end of the record is missing: telemetry.db was built from ${cursor} envelopes, but spool.db has ${last}; ` +
      'put back the spool.db and spool.db-wal that belong to it, or delete telemetry.db to continue without them',
  )
}

const port = threadPort()
const { folder, sizeLimits, intake, asleep } = workerData as {
  readonly folder: string
  readonly sizeLimits: ReadLimits
  /** One cell: 1 while no batch is due, so that new submissions need `wake`. */
  readonly asleep: Int32Array
  /** One cell: 1 while intake is busy. */
  readonly intake: Int32Array
}
const post = (news: DigestNews): void => port.postMessage({ news })

awaitTurn()
const spool = openLocal(folder)
const digest = new Digest({ folder, spool, sizeLimits, now: Date.now, log: (log) => post({ log }) })
refuseLostRecord(spool, digest.cursor)

// Intake waits for this thread when it evicts, so its priority is never lowered: the digest yields by pausing.
const pace = createPace({ cell: intake, monotonic: () => performance.now() })
let scheduled = false
let stopped = false
/** `switchable` was posted and the main thread has not called `switchOver` yet. */
let switching = false
/** The index was deleted, because the record becomes another one. */
let cleared = false

function wake(): void {
  if (scheduled || stopped || cleared) return
  schedule()
  const delay = pace.delay()
  if (delay === 0) setImmediate(work)
  else setTimeout(work, delay)
}

function schedule(): void {
  scheduled = true
  Atomics.store(asleep, 0, 0)
}

/** How often the file is compared with the one that was opened. */
const WATCH_FILE_MS = 1000

/** After a full disk or a locked file the digest retries: the record is safe, and the index can wait. */
const RETRY_MS = 1000

function retryLater(): void {
  schedule()
  setTimeout(work, RETRY_MS)
}

function work(): void {
  scheduled = false
  // Before the read: a submission that it does not see wakes this thread.
  Atomics.store(asleep, 0, 1)
  if (stopped || cleared) return
  if (pace.delay() > 0) {
    wake()
    return
  }
  try {
    const { batch, more, switchable, rebuildError } = digest.step()
    pace.stepped(more)
    post({ state: digest.state(), batch, stuck: rebuildError === null ? null : toPlainError(rebuildError) })
    if (rebuildError !== null) {
      retryLater()
      return
    }
    if (switchable && !switching) {
      switching = true
      post({ switchable: true })
    }
    // While submissions keep coming, the next batch is gathered without being woken for each of them.
    if (more || batch.upTo !== null) wake()
  } catch (error) {
    // Do not build rows from a damaged record: end the thread.
    if (error instanceof SpoolDamagedError) throw error
    post({ stuck: toPlainError(error) })
    retryLater()
  }
}

function apply(change: () => void): void {
  if (cleared) return
  change()
  post({ state: digest.state() })
  wake()
}

const watchingFile = setInterval(() => {
  if (!cleared && digest.checkFile()) apply(() => undefined)
}, WATCH_FILE_MS)

const methods = {
  ready: () => post({ state: digest.state() }),
  wake,
  erase: (seqs: readonly number[]) => apply(() => digest.erase(seqs)),
  addOlder: (seqs: readonly number[]) => apply(() => digest.addOlder(seqs)),
  /** Deletes the index. Nothing is digested until `restart`. */
  clear: () => {
    digest.clear()
    cleared = true
  },
  restart: () => {
    digest.start()
    cleared = false
    switching = false
    apply(() => undefined)
  },
  rebuild: (keepOld: boolean) => apply(() => digest.rebuild(keepOld)),
  damaged: (why: string) => apply(() => digest.damaged(why)),
  /** @returns the reason when the switch failed; it is retried. */
  switchOver: (): string | null => {
    switching = false
    try {
      apply(() => digest.switchOver())
      return null
    } catch (error) {
      retryLater()
      return toPlainError(error).message
    }
  },
}

export type DigestMethods = typeof methods

answerCalls(port, methods, () => {
  stopped = true
  clearInterval(watchingFile)
  if (!cleared) digest.close()
  spool.close()
})
