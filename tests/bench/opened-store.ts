import { join } from 'node:path'
import { Checkpointer } from '../../collector/runtime/checkpointer'
import { openForWriting } from '../../collector/runtime/database'
import type { Call } from '../../collector/runtime/thread-call'
import { commitBatch, MAX_BATCH } from '../../collector/spool/commit-batch'
import { EXPIRES_AFTER_MS } from '../../collector/spool/disk/delete-records'
import { Ballast } from '../../collector/spool/disk/disk-budget'
import type { OwnedLane } from '../../collector/spool/lanes'
import { migrate } from '../../collector/spool/schema'
import type { Attempt } from '../../collector/spool/submission'
import { SpoolWriter } from '../../collector/spool/writer'
import { createWriterMethods } from '../../collector/spool/writer-methods'
import { openPostgresStore, type PostgresStore } from '../../collector/spool-postgres/store'
import type { Submission } from '../../lib/protocol/submission'
import type { StoreAddress } from './store-orders'

/** A store in this thread, without HTTP and without the thread that a collector gives it. */
export interface OpenedStore {
  /** @returns its number */
  readonly append: (submission: Submission) => Promise<number>
  readonly recordAttempt: (attempt: Attempt, lane: OwnedLane | null) => Promise<void>
  readonly batches: () => Promise<number>
  /** For deliveries; `null` for SQLite. */
  readonly shared: PostgresStore | null
}

export const openStore = (address: StoreAddress): Promise<OpenedStore> =>
  address.engine === 'SQLite' ? openLocal(address.at) : openShared(address)

async function openShared({ at, name, lanes }: StoreAddress): Promise<OpenedStore> {
  const store = await openPostgresStore({ url: at, name, lanes, now: Date.now, log: console.error })
  await store.startHousekeeping()
  return {
    append: async (submission) => seqOf(await store.append(submission)),
    recordAttempt: (attempt, lane) => store.recordAttempt(attempt, lane ?? undefined),
    batches: async () => (await store.counts()).batches,
    shared: store,
  }
}

interface Waiting extends Call {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The writer of `spool.db`, with the group commit of its thread: calls of the same turn share a batch. */
async function openLocal(folder: string): Promise<OpenedStore> {
  const path = join(folder, 'spool.db')
  const db = openForWriting(path, 'FULL')
  migrate(db)
  const checkpointer = new Checkpointer(db, Date.now)
  const writer = new SpoolWriter(db, { cap: 2 ** 40, now: Date.now, monotonic: () => performance.now() })
  const { writes } = createWriterMethods({
    db,
    path,
    writer,
    checkpointer,
    ballast: new Ballast(folder),
    expiresAfterMs: EXPIRES_AFTER_MS,
    reserve: () => undefined,
    isPendingLost: () => false,
    withRemedy: (problem) => problem,
  })
  let waiting: Waiting[] = []
  let batches = 0
  const run = (): void => {
    const calls = waiting.slice(0, MAX_BATCH)
    waiting = waiting.slice(MAX_BATCH)
    const { answers } = commitBatch(calls, writes, { db, writer })
    writer.budget.recount(checkpointer.state.log)
    checkpointer.checkpointIfGrown()
    batches += 1
    for (const [at, { resolve, reject }] of calls.entries()) {
      const answer = answers[at]
      if (answer === undefined || 'error' in answer) reject(answer?.error)
      else resolve(answer.value)
    }
    if (waiting.length > 0) setImmediate(run)
  }
  const call = (method: string, ...args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      waiting.push({ id: 0, method, args, resolve, reject })
      if (waiting.length === 1) setImmediate(run)
    })
  return {
    append: async (submission) => seqOf((await call('append', submission)) as object),
    recordAttempt: async (attempt) => {
      await call('recordAttempt', attempt)
    },
    batches: async () => batches,
    shared: null,
  }
}

function seqOf(answer: object): number {
  if (!('seq' in answer)) throw new Error('the store refused a record: its disk budget is exceeded')
  return Number(answer.seq)
}
