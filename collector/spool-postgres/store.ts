import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { JournalFact } from '../../lib/wire/journal'
import type { StoreCounts, StoreUsage } from '../../lib/wire/store'
import type { LaneStore, OwnedLane } from '../spool/lanes'
import { LedgerNames } from '../spool/ledger/ledger-entries'
import type { JournalPage, MirrorCursor } from '../spool/mirror/journal-page'
import { deflateBody } from '../spool/record-body'
import type { RecordMethods } from '../spool/spool'
import type { Write } from './batch'
import { BatchWriter, type StoredAppend } from './batch-writer'
import { StoreConnection } from './connection'
import { createErasable } from './erase'
import { readFacts, readPage } from './follow/read-page'
import { Housekeeping, type RetentionOptions } from './housekeeping/housekeeping'
import { readPosition, readUsage, type StorePosition } from './housekeeping/store-usage'
import { createLanes } from './lanes'
import { Membership } from './membership'
import { addPartitions, checkServer, migrate } from './migrate'
import {
  countPending,
  readDeadItems,
  readDeadSeqs,
  readHead,
  readLimits,
  readNames,
  readPending,
  readRecord,
  readSetting,
  readSettings,
  readStranded,
  readUnreported,
} from './reads'
import { CollectorUnseenAnswers } from './unseen-answers'

export interface StoreOptions {
  /** `postgres://…` */
  readonly url: string
  /** The name of this start of the collector: no other one has it. */
  readonly name: string
  /** Ms since the epoch. */
  readonly now: () => number
  readonly monotonic?: () => number
  readonly log: (line: string) => void
  /** Among which pending records of an upstream are divided, 1 to 16; 1 by default. */
  readonly lanes?: number
  /** Accepts a server that may lose what it has acknowledged. */
  readonly allowWeak?: boolean
  /** For housekeeping. By default everything is kept. */
  readonly retention?: RetentionOptions
  /** For tests: numbers of one partition, in a schema that is created now. */
  readonly partitionNumbers?: number
}

/** The record in PostgreSQL, shared by collectors. */
export interface PostgresStore extends RecordMethods, Omit<LaneStore, 'resultsOf'>, ReturnType<typeof createErasable> {
  /** @param lane of which it is a result. @throws LaneLostError when another collector owns it by now */
  readonly recordAttempt: (attempt: Parameters<RecordMethods['recordAttempt']>[0], lane?: OwnedLane) => Promise<void>
  readonly decideWithoutAttempt: (
    ...given: [...Parameters<RecordMethods['decideWithoutAttempt']>, lane?: OwnedLane]
  ) => Promise<void>
  /** Deletes records. @returns how many were pending or dead letters: those end as `dropped` */
  readonly erase: (seqs: readonly number[], reason: 'cleared' | 'visitor') => Promise<number>
  readonly noteCleared: () => Promise<void>
  /** Whole batches after a cursor; `null` when there is nothing after it. @throws CursorLostError */
  readonly follow: (cursor: MirrorCursor, limit: number) => Promise<JournalPage | null>
  /** Facts after a number, without what mirrors need. @param limit facts at most */
  readonly facts: (after: number, limit: number) => Promise<readonly JournalFact[]>
  /** Runs the housekeeping now and every 10 s, until the store is closed. */
  readonly startHousekeeping: () => Promise<void>
  /** Runs it once, for tests. */
  readonly runHousekeeping: () => Promise<void>
  /** The database was as large as its budget when housekeeping measured it: appends are refused. */
  readonly isFull: () => Promise<boolean>
  /** Sizes, and who works on the record. Reads PostgreSQL for some milliseconds, so cache the answer. @throws as `readUsage` */
  readonly usage: () => Promise<StoreUsage>
  /** @param mirrored number of the newest fact of a mirror @throws StoreAwayError */
  readonly position: (mirrored: number) => Promise<StorePosition>
  /** Since the start; does not ask PostgreSQL. */
  readonly counts: () => Promise<StoreCounts>
  /** Ends the connections, after the changes of the totals that follow answered calls. */
  readonly close: () => Promise<void>
}

/**
 * Connects, checks the server, and brings its schema to this version.
 * @throws StoreAwayError, UnfitStoreError
 */
export async function openPostgresStore(options: StoreOptions): Promise<PostgresStore> {
  const { url, name, now, monotonic = () => performance.now(), lanes = 1 } = options
  // Reads of the relay must not wait behind a batch, nor a batch behind a page for the mirror.
  const [writing, reading, following] = [new StoreConnection(url), new StoreConnection(url), new StoreConnection(url)]
  const keeping = new StoreConnection(url)
  const close = async (): Promise<void> => {
    await Promise.all([writing, reading, following, keeping].map((connection) => connection.close()))
  }
  try {
    await checkServer(writing, options.allowWeak ?? false)
    await migrate(writing, options.partitionNumbers)
    await addPartitions(writing)
    const member = await Membership.join(writing, { name, lanes })
    const names = new LedgerNames(await readNames(writing))
    const retention = options.retention ?? { maxAgeMs: null, budgetBytes: null }
    const writerTools = {
      connection: writing,
      member,
      names,
      lanes,
      now,
      monotonic,
      newId: randomUUID,
      wait,
      waitForServer: (ms: number) => wait(ms, undefined, { ref: false }),
      log: options.log,
      addPartitions: () => addPartitions(reading),
    }
    const writer = new BatchWriter(writerTools)
    // Housekeeping logs its own failures.
    const endings = new BatchWriter({ ...writerTools, connection: keeping, log: () => undefined })
    const housekeeping = new Housekeeping({
      ...retention,
      connection: keeping,
      member,
      write: (given) => endings.write(given),
      now,
      monotonic,
      log: options.log,
    })
    const unseen = new CollectorUnseenAnswers({
      connection: reading,
      names,
      write: (given) => writer.write(given),
      log: options.log,
    })
    const write = async (given: Write): Promise<void> => {
      await writer.write(given)
    }
    return {
      append: async (submission) => {
        if (housekeeping.isFull()) return { needed: submission.body.length, storeFull: true }
        const { receipt } = submission
        const stored = deflateBody(submission.body)
        const { seq, isNew } = (await writer.write({ kind: 'append', submission, receipt, stored })) as StoredAppend
        if (isNew) unseen.addStored(submission, seq)
        return { seq, journal: seq }
      },
      addUnseenAnswer: (receipt) => unseen.addReceipt(receipt),
      countPages: (documents, pages) => write({ kind: 'change', change: { kind: 'pages', documents, pages } }),
      countRefusal: (reason, bytes, path) =>
        write({ kind: 'change', change: { kind: 'refusal', reason, bytes, path: path ?? null } }),
      recordAttempt: (attempt, lane) => write({ kind: 'attempt', attempt, lane: lane ?? null }),
      decideWithoutAttempt: (seq, decision, toReport, lane) =>
        write({ kind: 'decide', seq, decision, toReport, lane: lane ?? null }),
      storeLimits: (limits) => write({ kind: 'change', change: { kind: 'limits', limits } }),
      requeueDeadLetters: async (seqs) =>
        (await writer.write({ kind: 'requeue', seqs: unique(seqs) })) as readonly number[],
      dropDeadLetters: async (seqs) => Number(await writer.write({ kind: 'drop', seqs: unique(seqs) })),
      subtractReported: (publicKey, project, discards) =>
        write({ kind: 'change', change: { kind: 'cut', publicKey, project, discards, sign: -1 } }),
      saveSetting: (setting, value) => write({ kind: 'change', change: { kind: 'setting', name: setting, value } }),
      noteChanged: () => write({ kind: 'note', fact: 'changed' }),
      erase: async (seqs, reason) => Number(await writer.write({ kind: 'erase', seqs, reason })),
      noteCleared: () => write({ kind: 'note', fact: 'cleared' }),
      ...createErasable(reading),
      probe: () => writer.probe(),
      pending: (publicKey, project, ...page) => readPending(reading, { publicKey, project }, ...page),
      pendingIn: (lane, ...page) => readPending(reading, lane, ...page),
      record: (seq) => readRecord(reading, seq),
      countPending: (...key) => countPending(reading, ...key),
      stranded: (configured) => readStranded(reading, configured),
      deadSeqs: () => readDeadSeqs(reading),
      deadItems: (seqs) => readDeadItems(reading, seqs),
      unreported: (...key) => readUnreported(reading, ...key),
      limits: () => readLimits(reading),
      setting: (setting) => readSetting(reading, setting),
      settings: (prefix) => readSettings(reading, prefix),
      head: () => readHead(reading),
      ...createLanes(reading, member),
      follow: (cursor, limit) => readPage(following, cursor, limit),
      facts: (after, limit) => readFacts(following, after, limit),
      startHousekeeping: async () => housekeeping.start(),
      runHousekeeping: () => housekeeping.run(),
      isFull: async () => housekeeping.isFull(),
      // Housekeeping may wait for readers of a partition, and nothing else shares its connection.
      usage: () => readUsage(keeping, { ...retention, collector: member.id, now }),
      position: (mirrored) => readPosition(reading, mirrored),
      counts: async () => ({
        ...writer.counts,
        connections: {
          writing: writing.counts,
          reading: reading.counts,
          following: following.counts,
          housekeeping: keeping.counts,
        },
      }),
      close: async () => {
        await housekeeping.stop()
        await unseen.settled()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

const unique = (seqs: readonly number[]): readonly number[] => [...new Set(seqs)]
