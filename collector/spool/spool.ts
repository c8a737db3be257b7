import type { JournalFact } from '../../lib/wire/journal'
import { isDamage } from '../runtime/damage'
import { startThread } from '../runtime/thread-call'
import type { Bounds } from './room'
import type {
  Appended,
  Attempt,
  CorrectedLimit,
  Decision,
  Discard,
  NoRoom,
  StoredLimit,
  Submission,
} from './submission'
import type { SpoolUsage } from './usage'

/** What the thread tells after a commit: facts, in order, and how much is used by now. */
export interface SpoolNews {
  readonly facts: readonly JournalFact[]
  /** Pages in use, in bytes. */
  readonly used: number
}

/** The spool as the main thread knows it: every promise resolves after a synced commit, or rejects and nothing is stored. */
export interface Spool {
  readonly append: (submission: Submission) => Promise<Appended | NoRoom>
  readonly deliver: (attempt: Attempt) => Promise<void>
  /** Decides about what is pending without an attempt. @param toReport what of it is to be told upstream. */
  readonly settle: (seq: number, decision: NonNullable<Decision>, toReport: readonly Discard[]) => Promise<void>
  /** Dead letters are pending again. @returns those that are: others are none, or do not fit into the share of what is pending. */
  readonly sendAgain: (seqs: readonly number[]) => Promise<readonly number[]>
  /** Dead letters end as `dropped`. @returns how many did. */
  readonly drop: (seqs: readonly number[]) => Promise<number>
  /** So much of what was to be told upstream was told. */
  readonly reported: (publicKey: string, project: string, discards: readonly Discard[]) => Promise<void>
  /** Tells the journal that a script or a setting is another now. */
  readonly changed: () => Promise<void>
  readonly limit: (limits: readonly StoredLimit[]) => Promise<void>
  /** The clock was set since these were kept, or they are over. */
  readonly correctLimits: (limits: readonly CorrectedLimit[]) => Promise<void>
  readonly digested: (upTo: number) => Promise<void>
  readonly refused: (reason: string, bytes: number) => Promise<void>
  readonly setting: (name: string, value: string) => Promise<void>
  readonly usage: () => Promise<SpoolUsage>
  /** Resolves when the writer had a transaction, in which it wrote nothing; rejects when it gets none. */
  readonly probe: () => Promise<void>
  /** Tells the writer what counts towards the cap beside the record. */
  readonly bound: (bounds: Bounds) => Promise<void>
  /**
   * Small batches of sequence numbers, oldest first, up to a number; empty when there are none.
   * @param bytes no more than are needed to free so much.
   */
  readonly owingNothing: (upTo: number, bytes?: number) => Promise<readonly number[]>
  readonly withRows: (upTo: number, bytes?: number) => Promise<readonly number[]>
  readonly deadLetters: (upTo: number, bytes?: number) => Promise<readonly number[]>
  readonly pastDue: (upTo: number) => Promise<readonly number[]>
  readonly pending: (upTo: number) => Promise<readonly number[]>
  /** Their rows must be gone already. */
  readonly evict: (seqs: readonly number[]) => Promise<void>
  readonly rowsEvicted: (seqs: readonly number[]) => Promise<void>
  /** Dead letters end as `invalid`, and go. */
  readonly giveUp: (seqs: readonly number[]) => Promise<void>
  readonly expire: (seqs: readonly number[]) => Promise<void>
  readonly clear: (seqs: readonly number[]) => Promise<void>
  readonly cleared: () => Promise<void>
  /** @returns whether the ballast is there. */
  readonly takeBallast: () => Promise<boolean>
  /**
   * The disk is full: throws the ballast away, and gives back what the log's file takes: it is room for the record alone,
   * and where rows cannot be erased for want of it no record can go.
   * @returns whether the disk has more room now.
   */
  readonly lighten: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/** Opens the spool in a thread of its own; resolves when its file is migrated and its pragmas hold. */
export async function openSpool(options: {
  readonly folder: string
  /** Bytes that record and rows may use together. */
  readonly cap: number
  /** Once they are durable. */
  readonly onNews: (news: SpoolNews) => void
  readonly onDeath: (error: Error) => void
}): Promise<Spool> {
  const thread = startThread({
    entry: new URL('./writer-thread.js', import.meta.url),
    data: { folder: options.folder, cap: options.cap },
    onNews: (news) => options.onNews(news as SpoolNews),
    // SQLite does not say in which file it found the damage.
    onDeath: (error) => options.onDeath(isDamage(error) ? new Error(`spool.db: ${error.message}`) : error),
  })
  await thread.call('ready')
  return {
    append: (submission) => thread.call('append', submission),
    deliver: (attempt) => thread.call('deliver', attempt),
    settle: (seq, decision, toReport) => thread.call('settle', seq, decision, toReport),
    sendAgain: (seqs) => thread.call('sendAgain', seqs),
    drop: (seqs) => thread.call('drop', seqs),
    reported: (publicKey, project, discards) => thread.call('reported', publicKey, project, discards),
    changed: () => thread.call('changed'),
    limit: (limits) => thread.call('limit', limits),
    correctLimits: (limits) => thread.call('correctLimits', limits),
    digested: (upTo) => thread.call('digested', upTo),
    refused: (reason, bytes) => thread.call('refused', reason, bytes),
    setting: (name, value) => thread.call('setting', name, value),
    usage: () => thread.call('usage'),
    probe: () => thread.call('ready'),
    bound: (bounds) => thread.call('bound', bounds),
    owingNothing: (upTo, bytes) => thread.call('owingNothing', upTo, bytes),
    withRows: (upTo, bytes) => thread.call('withRows', upTo, bytes),
    deadLetters: (upTo, bytes) => thread.call('deadLetters', upTo, bytes),
    pastDue: (upTo) => thread.call('pastDue', upTo),
    pending: (upTo) => thread.call('pending', upTo),
    evict: (seqs) => thread.call('evict', seqs),
    rowsEvicted: (seqs) => thread.call('rowsEvicted', seqs),
    giveUp: (seqs) => thread.call('giveUp', seqs),
    expire: (seqs) => thread.call('expire', seqs),
    clear: (seqs) => thread.call('clear', seqs),
    cleared: () => thread.call('cleared'),
    takeBallast: () => thread.call('takeBallast'),
    lighten: () => thread.call('lighten'),
    close: () => thread.stop(),
  }
}
