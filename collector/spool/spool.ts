import type { Discard, Submission } from '../../lib/protocol/submission'
import type { Reach } from '../../lib/wire/reach'
import type { Store } from '../../lib/wire/store'
import type { VisitorDeleted } from '../../lib/wire/visitor'
import { isDamage } from '../runtime/sqlite-errors'
import { startThread, type ThreadCalls, withCalls } from '../runtime/thread-call'
import { deleteVisitor, type WithholdPosts } from './disk/delete-visitor'
import { clearRecords } from './disk/eviction'
import type { IndexedRows, StorageReport } from './disk/storage'
import type { SpoolNews } from './journal'
import type { LaneStore } from './lanes'
import { type LocalRecordOptions, openLocalRecord } from './local-record'
import type { ReadMethods } from './read/read-methods'
import type { Appended, Attempt, CorrectedLimit, Decision, DiskBudgetExceeded, StoredLimit } from './submission'
import type { WriterCalls } from './writer-methods'

/**
 * The record, as all other folders see it. Sequence numbers count submissions, journal numbers order all facts; times are
 * ms since the epoch, sizes are bytes. Promises of writes resolve after a synced commit; when one rejects, nothing of that
 * call was stored. Every method rejects with StoppingError after `close`.
 */
export interface Spool extends SpoolReads {
  // Append.
  /**
   * Stores one received body, and evicts for it where needed. @returns `DiskBudgetExceeded`, and stores nothing, when
   * nothing that may be evicted would make it fit. @throws EvictionTimeoutError, or when the disk stays full
   */
  readonly append: (submission: Submission) => Promise<Appended | DiskBudgetExceeded>
  /** The connection of a stored body closed before its answer was sent. @param receipt of the body */
  readonly addUnseenAnswer: (receipt: string) => Promise<void>
  /** Counts documents that a tunnel's app served, and the pages among them that posted. */
  readonly countPages: (documents: number, pages: number) => Promise<void>
  /** @param path method and path of a request to an address that serves nothing. */
  readonly countRefusal: (reason: string, bytes: number, path?: string) => Promise<void>

  // Attempts and outcomes. On a full disk these evict and write again: without them a record would be posted again.
  readonly recordAttempt: (attempt: Attempt) => Promise<void>
  /** Writes the outcomes of a pending submission without an attempt. @param toReport discards to report upstream. */
  readonly decideWithoutAttempt: (
    seq: number,
    decision: NonNullable<Decision>,
    toReport: readonly Discard[],
  ) => Promise<void>
  readonly storeLimits: (limits: readonly StoredLimit[]) => Promise<void>

  readonly correctLimits: (limits: readonly CorrectedLimit[]) => Promise<void>
  /** @returns those that were dead letters */
  readonly requeueDeadLetters: (seqs: readonly number[]) => Promise<readonly number[]>
  readonly dropDeadLetters: (seqs: readonly number[]) => Promise<number>
  /** Discards that a client report has told upstream. */
  readonly subtractReported: (publicKey: string, project: string, discards: readonly Discard[]) => Promise<void>

  // Settings and journal.
  /** `null` deletes it. */
  readonly saveSetting: (name: string, value: string | null) => Promise<void>
  /** Something that boards show has changed, but nothing on record. */
  readonly noteChanged: () => Promise<void>

  // Retention and health.
  /** Deletes what a person may clear; with `pending` also dead letters and pending records. @returns their number */
  readonly clear: (options: { readonly pending: boolean }) => Promise<number>
  /** @param at now @param withhold stops posts of the records while they are deleted */
  readonly deleteVisitor: (visitors: readonly string[], at: number, withhold: WithholdPosts) => Promise<VisitorDeleted>
  readonly storage: () => Promise<StorageReport>
  /** Begins a transaction and writes nothing; rejects when the writer gets none. */
  readonly probe: () => Promise<boolean>
  /** The record that collectors share; `null` when `spool.db` is the record itself, and not a mirror. */
  readonly shared: SharedRecord | null
  /** Resolves when no eviction runs any more. Call it before the index ends. */
  readonly stopEvicting: () => Promise<void>
  /** Ends the threads after the calls made so far. Close the index before: the last connection checkpoints the log. */
  readonly close: () => Promise<void>
}

/** Queries of the record, each documented at its function in `read/`. A damaged page rejects with SpoolDamagedError. */
export type SpoolReads = ThreadCalls<ReadMethods>

/** A record in a store of its own, which other collectors write as well. */
export interface SharedRecord extends LaneStore {
  /** Number of its newest fact, which the mirror may not have yet. @throws StoreAwayError */
  readonly head: () => Promise<number>
  /** Sizes, owners, and how far this collector has copied it, also while the store is away. Sizes are some seconds old. */
  readonly describe: () => Promise<Store>
  /** How far back the mirror reaches; `null` when it has all. */
  readonly reach: () => Reach | null
}

/** The part of the record that intake and delivery need. A shared store implements it, too. */
export type RecordMethods = Pick<
  Spool,
  | 'append'
  | 'addUnseenAnswer'
  | 'countPages'
  | 'countRefusal'
  | 'recordAttempt'
  | 'decideWithoutAttempt'
  | 'storeLimits'
  | 'requeueDeadLetters'
  | 'dropDeadLetters'
  | 'subtractReported'
  | 'saveSetting'
  | 'noteChanged'
  | 'probe'
  | 'pending'
  | 'record'
  | 'countPending'
  | 'stranded'
  | 'deadSeqs'
  | 'deadItems'
  | 'unreported'
  | 'limits'
  | 'setting'
  | 'settings'
  | 'head'
>

/** A record without lists: all that intake and delivery read and write. */
export interface DeliveryRecord extends RecordMethods, Pick<Spool, 'correctLimits' | 'shared'> {}

/** A record that is open, but does not evict before it has its index. */
export interface OpenedSpool {
  /**
   * The rows of every submission up to this one exist.
   * @param traces to which the batch added something; `null`: any
   */
  readonly noteDigested: (upTo: number, traces: readonly string[] | null) => Promise<void>
  /** A query of another thread met a damaged page of the record. */
  readonly noteDamage: () => void
  /** @param rows of the records, which are erased before their record */
  readonly withIndex: (rows: IndexedRows) => Spool
  /** Only while there is no index. */
  readonly close: () => Promise<void>
}

export interface SpoolOptions extends LocalRecordOptions {
  /** Runs a read of a request in its turn. */
  readonly takeTurn: <Value>(read: () => Promise<Value>) => Promise<Value>
}

/** Starts the threads of the record; resolves when spool.db is open and migrated. */
export async function openSpool(options: SpoolOptions): Promise<OpenedSpool> {
  const { folder, cap, maxAgeMs, news, onDeath } = options
  const writing = startThread({
    entry: new URL('./writer-thread.js', import.meta.url),
    data: { folder, cap, maxAgeMs },
    onNews: (message) => news.publish(message as SpoolNews),
    onDeath: (error) => onDeath(withFileName(error)),
  })
  const writer: WriterCalls = withCalls({}, (method, args) => writing.call(method, ...args))
  const migrated = writer.ready()
  const local = openLocalRecord(options, writer, migrated)
  const close = async (): Promise<void> => {
    await local.stopReading()
    await writing.stop()
  }
  await migrated
  return {
    noteDigested: writer.noteDigested,
    noteDamage: local.noteDamage,
    close,
    withIndex: (rows) => {
      const { keeper, storage } = local.keepBelowCap(rows)
      return withCalls<ReadMethods, Omit<Spool, keyof SpoolReads>>(
        {
          append: (submission) => keeper.appendWithEviction(submission),
          addUnseenAnswer: writer.addUnseenAnswer,
          countRefusal: writer.countRefusal,
          countPages: writer.countPages,
          recordAttempt: (attempt) => keeper.writeWithEviction(() => writer.recordAttempt(attempt)),
          decideWithoutAttempt: (...decided) => keeper.writeWithEviction(() => writer.decideWithoutAttempt(...decided)),
          storeLimits: (limits) => keeper.writeWithEviction(() => writer.storeLimits(limits)),
          correctLimits: writer.correctLimits,
          requeueDeadLetters: writer.requeueDeadLetters,
          dropDeadLetters: writer.dropDeadLetters,
          subtractReported: writer.subtractReported,
          saveSetting: writer.saveSetting,
          noteChanged: writer.noteChanged,
          clear: (cleared) => clearRecords({ spool: writer, rows }, cleared),
          deleteVisitor: (...deleted) => deleteVisitor({ spool: writer, rows }, ...deleted),
          storage,
          probe: writer.ready,
          shared: null,
          stopEvicting: () => keeper.stop(),
          close,
        },
        (method, args) => options.takeTurn(() => local.read(method, args)),
      )
    },
  }
}

/** SQLite does not name the file in which it found damage. */
function withFileName(error: Error): Error {
  return isDamage(error) ? Object.assign(new Error(`spool.db: ${error.message}`), { code: 'SQLITE_CORRUPT' }) : error
}

export type { UpstreamKey } from './deliveries'
export { EvictionTimeoutError, START_AT } from './disk/budget-keeper'
export type { StorageReport } from './disk/storage'
export type { SpoolNews } from './journal'
export * from './lanes'
export type { LimitPeriod, PageLimitRow } from './read/read-limits'
export type { DeadItems, Pending } from './read/read-pending'
export {
  GROUP_PREFIX,
  MOMENT_PREFIX,
  markSetting,
  momentSetting,
  type SettingRow,
  type StoredMark,
  toMarks,
  toMoments,
} from './read/read-settings'
export { BodyDamagedError } from './record-body'
export * from './stored-content'
export * from './submission'
