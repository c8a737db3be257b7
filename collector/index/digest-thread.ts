import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { answerCalls, awaitTurn, errorToMessage, giveWay, threadPort } from '../runtime/thread-call'
import { openForReading } from '../spool/database'
import { Digest } from './digest'
import { Pace } from './digest-pace'
import type { DigestNews } from './digester'
import { SpoolDamagedError } from './index-damage'

/**
 * Rows are only ever made of what is on record, and numbers are not given twice. Where rows reach further than the
 * record, its end was lost: a log was deleted, or an older copy was put back. Going on would give those numbers to other
 * envelopes.
 * @throws a sentence that says so and what to do.
 */
function refuseLostRecord(spool: Database, cursor: number): void {
  const last = Number(spool.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'submissions'").pluck().get() ?? 0)
  if (cursor <= last) return
  throw new Error(
    `the end of the record is missing: telemetry.db was made of ${cursor} envelopes and spool.db knows ${last}; ` +
      'put back the spool.db and spool.db-wal that belong to it, or delete telemetry.db to go on with what is there',
  )
}

const port = threadPort()
const { folder, limits, intake } = workerData as {
  readonly folder: string
  readonly limits: ReadLimits
  readonly intake: Int32Array
}
const tell = (news: DigestNews): void => port.postMessage({ news })

awaitTurn()
const spool = openForReading(join(folder, 'spool.db'))
const digest = new Digest({ folder, spool, limits, now: Date.now, say: (sentence) => tell({ says: sentence }) })
refuseLostRecord(spool, digest.cursor)

// Intake goes first, and whoever looks; not before there is something to look at.
giveWay(10)

const pace = new Pace({ isIntakeBusy: () => Atomics.load(intake, 0) === 1, monotonic: () => performance.now() })
let scheduled = false
let stopped = false
/** The main thread was asked to let the readers go, and has not answered. */
let switching = false

function wake(): void {
  if (scheduled || stopped) return
  scheduled = true
  const wait = pace.wait()
  if (wait === 0) setImmediate(work)
  else setTimeout(work, wait)
}

/** A disk that is full, or a file that somebody locks, is tried again: the record is safe and the rows can wait. */
const RETRY_MS = 1000

function wakeLater(): void {
  scheduled = true
  setTimeout(work, RETRY_MS)
}

function work(): void {
  scheduled = false
  if (stopped) return
  if (pace.wait() > 0) {
    wake()
    return
  }
  try {
    const { batch, more, switchable, trouble } = digest.step()
    pace.stepped(more)
    tell({ state: digest.state(), batch, stuck: trouble })
    if (trouble !== null) {
      wakeLater()
      return
    }
    if (switchable && !switching) {
      switching = true
      tell({ switchable: true })
    }
    if (more) wake()
  } catch (error) {
    // What is read of a damaged record is no ground to go on.
    if (error instanceof SpoolDamagedError) throw error
    tell({ stuck: errorToMessage(error).message })
    wakeLater()
  }
}

/** Does what was asked for, and tells how the rows stand before it is answered. */
function after(change: () => void): void {
  change()
  tell({ state: digest.state() })
  wake()
}

answerCalls(
  port,
  {
    ready: () => tell({ state: digest.state() }),
    wake,
    erase: (seqs: readonly number[]) => after(() => digest.erase(seqs)),
    rebuild: (beside: boolean) => after(() => digest.rebuild(beside)),
    damaged: (why: string) => after(() => digest.damaged(why)),
    /** @returns why it could not be done; it is asked for again. */
    switchOver: (): string | null => {
      switching = false
      try {
        after(() => digest.switchOver())
        return null
      } catch (error) {
        wakeLater()
        return errorToMessage(error).message
      }
    },
  },
  () => {
    stopped = true
    digest.close()
    spool.close()
  },
)
