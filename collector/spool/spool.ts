import type { JournalFact } from '../../lib/wire/journal'
import { isDamage } from '../runtime/sqlite-errors'
import { startThread } from '../runtime/thread-call'
import type { DiskBounds } from './disk/disk-budget'
import type { SpoolUsage } from './disk/storage'
import type {
  Appended,
  Attempt,
  CorrectedLimit,
  Decision,
  Discard,
  DiskBudgetExceeded,
  StoredLimit,
  Submission,
} from './submission'

export interface SpoolNews {
  readonly facts: readonly JournalFact[]
  /** Bytes of the pages in use. */
  readonly used: number
}

/** Promises of writes resolve after a synced commit; when one rejects, nothing of that call was stored. */
export interface Spool {
  /** Stores one received body. @returns `DiskBudgetExceeded`, and stores nothing, when it does not fit. */
  readonly append: (submission: Submission) => Promise<Appended | DiskBudgetExceeded>
  /** The connection of a stored body closed before its answer was sent. @param receipt of the body */
  readonly addUnseenAnswer: (receipt: string) => Promise<void>
  readonly recordAttempt: (attempt: Attempt) => Promise<void>
  /** Writes the outcomes of a pending submission without an attempt. @param toReport discards to report upstream. */
  readonly decideWithoutAttempt: (
    seq: number,
    decision: NonNullable<Decision>,
    toReport: readonly Discard[],
  ) => Promise<void>
  readonly requeueDeadLetters: (seqs: readonly number[]) => Promise<readonly number[]>
  readonly dropDeadLetters: (seqs: readonly number[]) => Promise<number>
  readonly subtractReported: (publicKey: string, project: string, discards: readonly Discard[]) => Promise<void>
  readonly noteChanged: () => Promise<void>
  readonly storeLimits: (limits: readonly StoredLimit[]) => Promise<void>
  readonly correctLimits: (limits: readonly CorrectedLimit[]) => Promise<void>
  readonly noteDigested: (upTo: number) => Promise<void>
  /** @param path method and path of a request to an address that serves nothing. */
  readonly countRefusal: (reason: string, bytes: number, path?: string) => Promise<void>
  readonly saveSetting: (name: string, value: string) => Promise<void>
  readonly usage: () => Promise<SpoolUsage>
  /** Begins a transaction and writes nothing; rejects when the writer gets none. */
  readonly probe: () => Promise<void>
  /** Sets the cap, and the bytes outside of the record that count towards it. */
  readonly setBounds: (bounds: DiskBounds) => Promise<void>

  // The next batch of sequence numbers, oldest first, up to a number, for at most `bytes`; empty when there are none.
  readonly settledRecords: (upTo: number, bytes?: number) => Promise<readonly number[]>
  /** Received before a time, both in ms since the epoch. */
  readonly agedRecords: (before: number, now: number) => Promise<readonly number[]>
  readonly copyRecords: (upTo: number, bytes?: number) => Promise<readonly number[]>
  readonly recordsWithRows: (upTo: number, bytes?: number) => Promise<readonly number[]>
  readonly deadLetterRecords: (upTo: number, bytes?: number) => Promise<readonly number[]>
  readonly expiredRecords: (upTo: number) => Promise<readonly number[]>
  readonly pendingRecords: (upTo: number) => Promise<readonly number[]>

  // Delete records. The rows of these records must be deleted before.
  readonly evictSettled: (seqs: readonly number[]) => Promise<void>
  readonly evictAged: (seqs: readonly number[]) => Promise<void>
  readonly evictCopies: (seqs: readonly number[]) => Promise<void>
  /** Ends them as `invalid`. */
  readonly evictDeadLetters: (seqs: readonly number[]) => Promise<void>
  /** Ends them as `expired`. */
  readonly evictExpired: (seqs: readonly number[]) => Promise<void>
  readonly noteRowsEvicted: (seqs: readonly number[]) => Promise<void>
  /** For a person who clears: ends what is pending as `dropped`. Not counted as eviction. */
  readonly clear: (seqs: readonly number[]) => Promise<void>
  readonly noteCleared: () => Promise<void>

  /** @returns whether the ballast file exists afterwards. */
  readonly allocateBallast: () => Promise<boolean>
  /** The disk is full: deletes the ballast and truncates the write-ahead log. @returns whether the disk gained space. */
  readonly freeDiskSpace: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/** Starts the writer thread; resolves when spool.db is open and migrated. */
export async function openSpool(options: {
  readonly folder: string
  readonly cap: number
  /** Pending records expire no earlier; `null` for the default of 24 h. */
  readonly maxAgeMs: number | null
  readonly onNews: (news: SpoolNews) => void
  readonly onDeath: (error: Error) => void
}): Promise<Spool> {
  const thread = startThread({
    entry: new URL('./writer-thread.js', import.meta.url),
    data: { folder: options.folder, cap: options.cap, maxAgeMs: options.maxAgeMs },
    onNews: (news) => options.onNews(news as SpoolNews),
    onDeath: (error) => options.onDeath(withFileName(error)),
  })
  await thread.call('ready')
  return {
    append: (submission) => thread.call('append', submission),
    addUnseenAnswer: (receipt) => thread.call('addUnseenAnswer', receipt),
    recordAttempt: (attempt) => thread.call('recordAttempt', attempt),
    decideWithoutAttempt: (seq, decision, toReport) => thread.call('decideWithoutAttempt', seq, decision, toReport),
    requeueDeadLetters: (seqs) => thread.call('requeueDeadLetters', seqs),
    dropDeadLetters: (seqs) => thread.call('dropDeadLetters', seqs),
    subtractReported: (publicKey, project, discards) => thread.call('subtractReported', publicKey, project, discards),
    noteChanged: () => thread.call('noteChanged'),
    storeLimits: (limits) => thread.call('storeLimits', limits),
    correctLimits: (limits) => thread.call('correctLimits', limits),
    noteDigested: (upTo) => thread.call('noteDigested', upTo),
    countRefusal: (reason, bytes, path) => thread.call('countRefusal', reason, bytes, path),
    saveSetting: (name, value) => thread.call('saveSetting', name, value),
    usage: () => thread.call('usage'),
    probe: () => thread.call('ready'),
    setBounds: (bounds) => thread.call('setBounds', bounds),
    settledRecords: (upTo, bytes) => thread.call('settledRecords', upTo, bytes),
    agedRecords: (before, now) => thread.call('agedRecords', before, now),
    copyRecords: (upTo, bytes) => thread.call('copyRecords', upTo, bytes),
    recordsWithRows: (upTo, bytes) => thread.call('recordsWithRows', upTo, bytes),
    deadLetterRecords: (upTo, bytes) => thread.call('deadLetterRecords', upTo, bytes),
    expiredRecords: (upTo) => thread.call('expiredRecords', upTo),
    pendingRecords: (upTo) => thread.call('pendingRecords', upTo),
    evictSettled: (seqs) => thread.call('evictSettled', seqs),
    evictAged: (seqs) => thread.call('evictAged', seqs),
    evictCopies: (seqs) => thread.call('evictCopies', seqs),
    evictDeadLetters: (seqs) => thread.call('evictDeadLetters', seqs),
    evictExpired: (seqs) => thread.call('evictExpired', seqs),
    noteRowsEvicted: (seqs) => thread.call('noteRowsEvicted', seqs),
    clear: (seqs) => thread.call('clear', seqs),
    noteCleared: () => thread.call('noteCleared'),
    allocateBallast: () => thread.call('allocateBallast'),
    freeDiskSpace: () => thread.call('freeDiskSpace'),
    close: () => thread.stop(),
  }
}

/** SQLite does not name the file in which it found damage. */
function withFileName(error: Error): Error {
  return isDamage(error) ? Object.assign(new Error(`spool.db: ${error.message}`), { code: 'SQLITE_CORRUPT' }) : error
}
