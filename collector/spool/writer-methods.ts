import type { Database } from 'better-sqlite3'
import type { Submission } from '../../lib/protocol/submission'
import type { Checkpointer } from '../runtime/checkpointer'
import { faultPoint } from '../runtime/fault-point'
import type { ThreadCalls } from '../runtime/thread-call'
import type { Ballast, DiskBounds } from './disk/disk-budget'
import { readUsage } from './disk/usage'
import type { SpoolWriter } from './writer'

/** The disk has to gain this much before a write that it refused is tried again. */
const MIN_FREED_BYTES = 1024 * 1024
/** How long a reader may delay the truncation of the log when the disk is full. */
const READER_TIMEOUT_MS = 2000

interface WriterParts {
  readonly db: Database
  /** Of spool.db. */
  readonly path: string
  readonly writer: SpoolWriter
  readonly checkpointer: Checkpointer
  readonly ballast: Ballast
  /** Pending records expire after this much running time. */
  readonly expiresAfterMs: number
  /** Reserves space of the log for an append. @throws DiskFullError if there is none */
  readonly reserve: (bytes: number) => void
  readonly isPendingLost: () => boolean
  readonly withRemedy: (problem: string) => string
}

/**
 * The methods of the writer thread, by the time at which a batch of calls runs them. A batch of `writes` shares one
 * transaction, which is synced before any of them is answered.
 */
export function createWriterMethods(parts: WriterParts) {
  const { writer, checkpointer } = parts
  const { evictor, deadLetters, limits, unseen, visitors } = writer
  return {
    /** Calls that the writes of the same batch depend on; they run first. */
    settings: {
      setBounds: (bounds: DiskBounds) => {
        writer.budget.bounds = bounds
      },
    },
    writes: {
      ready: () => true,
      append: (submission: Submission) => {
        parts.reserve(submission.body.length)
        return writer.insertSubmission(submission)
      },
      addUnseenAnswer: unseen.addReceipt.bind(unseen),
      recordAttempt: writer.recordAttempt.bind(writer),
      decideWithoutAttempt: writer.decideWithoutAttempt.bind(writer),
      requeueDeadLetters: deadLetters.requeue.bind(deadLetters),
      dropDeadLetters: deadLetters.drop.bind(deadLetters),
      subtractReported: writer.subtractReported.bind(writer),
      noteChanged: writer.noteChanged.bind(writer),
      storeLimits: limits.store.bind(limits),
      correctLimits: limits.correct.bind(limits),
      noteDigested: writer.noteDigested.bind(writer),
      countRefusal: writer.countRefusal.bind(writer),
      countPages: writer.countPages.bind(writer),
      saveSetting: writer.saveSetting.bind(writer),

      // The next batch of sequence numbers that may be deleted, oldest first; empty when there are none.
      settledRecords: evictor.settledRecords.bind(evictor),
      agedRecords: evictor.agedRecords.bind(evictor),
      copyRecords: evictor.copyRecords.bind(evictor),
      recordsWithRows: evictor.recordsWithRows.bind(evictor),
      deadLetterRecords: evictor.deadLetterRecords.bind(evictor),
      expiredRecords: (upTo: number) => evictor.expiredRecords(writer.time.ran, upTo, parts.expiresAfterMs),
      pendingRecords: evictor.pendingRecords.bind(evictor),

      // Delete records, whose rows must be deleted before.
      evictSettled: (seqs: readonly number[]) => {
        evictor.evictSettled(seqs)
        faultPoint('evict')
      },
      evictAged: evictor.evictAged.bind(evictor),
      evictCopies: evictor.evictCopies.bind(evictor),
      evictDeadLetters: evictor.evictDeadLetters.bind(evictor),
      evictExpired: evictor.evictExpired.bind(evictor),
      noteRowsEvicted: evictor.noteRowsEvicted.bind(evictor),
      clear: (seqs: readonly number[]) => evictor.clear(seqs),
      noteCleared: evictor.noteCleared.bind(evictor),

      addVisitorDeletion: visitors.add.bind(visitors),
      visitorRecords: visitors.records.bind(visitors),
      clearVisitor: (seqs: readonly number[]) => ({
        posted: visitors.countPosted(seqs),
        dropped: evictor.clear(seqs, 'visitor'),
      }),
    },
    /** Calls that must not run in a transaction, or must work while another program keeps the file locked; they run last. */
    maintenance: {
      usage: () => readUsage({ ...parts, log: checkpointer.state }),
      ...diskMethods(parts),
    },
  }
}

/** The methods that need no transaction, because they change no rows. */
export const diskMethods = ({ ballast, checkpointer }: Pick<WriterParts, 'ballast' | 'checkpointer'>) => ({
  /** @returns whether the ballast file exists afterwards. */
  allocateBallast: () => ballast.allocate(),
  /** The disk is full: deletes the ballast and truncates the write-ahead log. @returns whether the disk gained space. */
  freeDiskSpace: () => {
    const hadBallast = ballast.release()
    const freed = checkpointer.truncate(READER_TIMEOUT_MS)
    return hadBallast || freed >= MIN_FREED_BYTES
  },
})

type WriterMethods = ReturnType<typeof createWriterMethods>

/** Promises of writes resolve after a synced commit; when one rejects, nothing of that call was stored. */
export type WriterCalls = ThreadCalls<
  WriterMethods['settings'] & WriterMethods['writes'] & WriterMethods['maintenance']
>
