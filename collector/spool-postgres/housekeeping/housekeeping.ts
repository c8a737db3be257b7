import { type StartTimer, startTimer } from '../../../lib/time'
import { EXPIRES_AFTER_MS } from '../../spool/disk/delete-records'
import type { Write } from '../batch'
import type { Answer } from '../batch-writer'
import type { StoreConnection } from '../connection'
import type { Membership } from '../membership'
import { addPartitions } from '../migrate'
import { finishDrops, mayDrop, readOldest } from './drop-partitions'
import { type DropResult, dropAged, dropNextContents, dropOldest, type RetentionTools, readSize } from './retention'
import { releaseTask, type TaskLease, takeTask } from './task-lease'
import {
  advanceRunningTime,
  deleteChanges,
  deleteCollectors,
  deleteCommits,
  deleteLimits,
  deleteReceipts,
  foldTotals,
  noteSeen,
  sumUnreported,
} from './upkeep'

/** Name of the lease. */
const HOUSEKEEPING = 'housekeeping'
const RUN_EVERY_MS = 10_000
const RARELY_MS = 60_000
/** A lease lasts 20 s. Between tasks it is renewed after this time. */
const RENEW_AFTER_MS = 5000
/** At this share of the budget the oldest partition is dropped. */
export const DROP_AT = 0.9

const NO_RIGHTS =
  'The role of WAYSTATION_STORE does not own the schema waystation, so this collector leaves the housekeeping of the shared record to one whose role does.'

export interface RetentionOptions {
  /** Records that were received earlier are deleted; `null` for never. */
  readonly maxAgeMs: number | null
  /** Bytes for the whole database; `null` for any size. */
  readonly budgetBytes: number | null
}

interface HousekeepingTools extends RetentionOptions {
  /** Of housekeeping alone: a detach may wait for seconds. */
  readonly connection: StoreConnection
  readonly member: Pick<Membership, 'id' | 'check'>
  readonly write: (write: Write) => Promise<Answer>
  /** Ms since the epoch. */
  readonly now: () => number
  readonly monotonic: () => number
  readonly startTimer?: StartTimer
  readonly log: (line: string) => void
}

interface Task {
  readonly name: string
  /** Monotonic ms from its last success to its next run. */
  readonly everyMs: number
  readonly run: (lease: TaskLease) => Promise<void>
}

/**
 * Keeps the shared record small: partitions, old receipts, totals, retention. Every collector notes that it runs, and
 * measures the size; one of them, the holder of a lease, does the rest. Each task may be repeated or interrupted at any point.
 */
export class Housekeeping {
  readonly #tools: HousekeepingTools
  readonly #tasks: readonly Task[]
  readonly #doneAt = new Map<string, number>()
  /** Tasks whose failure was logged. */
  readonly #failing = new Set<string>()
  #running: Promise<void> | null = null
  #lease: TaskLease | null = null
  #renewedAt = 0
  /** Monotonic ms up to which running time was counted. */
  #countedUpTo: number | null = null
  #mayDrop: boolean | null = null
  #size = 0
  #isStopped = false
  #cancelTimer: () => void = () => undefined

  constructor(tools: HousekeepingTools) {
    this.#tools = tools
    this.#tasks = this.#listTasks()
  }

  /** Runs now, and 10 s after the end of each run. */
  start(): void {
    const { startTimer: later = startTimer } = this.#tools
    void this.run().then(() => {
      if (!this.#isStopped) this.#cancelTimer = later(() => this.start(), RUN_EVERY_MS)
    })
  }

  /** Ends the current run after its task, and gives the lease to another collector. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelTimer()
    await this.#running
    const lease = this.#lease
    if (lease === null) return
    await this.#attempt('release the lease', () => releaseTask(this.#tools.connection, lease))
    this.#lease = null
  }

  /** Whether the database was as large as its budget when it was last measured: appends must be refused. */
  isFull(): boolean {
    const { budgetBytes } = this.#tools
    return budgetBytes !== null && this.#size >= budgetBytes
  }

  /** Does the tasks that are due; a call during a run joins it. Never rejects: a failure is logged once. */
  run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #runAll(): Promise<void> {
    const { connection, member, monotonic } = this.#tools
    await this.#attempt('note that this collector runs', async () => {
      await member.check(connection)
      await noteSeen(connection, member.id)
    })
    await this.#attempt('measure the size', () => this.#measure())
    for (const task of this.#tasks) {
      if (this.#isStopped) return
      const lease = await this.#keepLease()
      if (lease === null) return
      const doneAt = this.#doneAt.get(task.name)
      if (doneAt !== undefined && monotonic() - doneAt < task.everyMs) continue
      if ((await this.#attempt(task.name, () => task.run(lease))) !== null) this.#doneAt.set(task.name, monotonic())
    }
  }

  /** @returns `null` when another collector has the lease, the role may not drop partitions, or the store is away */
  async #keepLease(): Promise<TaskLease | null> {
    const { connection, member, monotonic } = this.#tools
    this.#mayDrop ??= (await this.#attempt('take the lease', () => mayDrop(connection)))?.value ?? null
    if (this.#mayDrop !== true) {
      if (this.#mayDrop === false) this.#logOnce('rights', NO_RIGHTS)
      return null
    }
    if (this.#lease !== null && monotonic() - this.#renewedAt < RENEW_AFTER_MS) return this.#lease
    const at = monotonic()
    const taken = await this.#attempt('take the lease', () => takeTask(connection, member.id, HOUSEKEEPING))
    const lease = taken?.value ?? null
    this.#renewedAt = at
    this.#lease = lease
    // The next holder counts the time from now on.
    if (lease === null) this.#countedUpTo = null
    return lease
  }

  /** @returns `null` when it failed */
  async #attempt<Value>(name: string, work: () => Promise<Value>): Promise<{ readonly value: Value } | null> {
    try {
      const value = await work()
      this.#failing.delete(name)
      return { value }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#logOnce(name, `Housekeeping of the shared record could not ${name}, and will try again: ${why}`)
      return null
    }
  }

  #logOnce(problem: string, line: string): void {
    if (this.#failing.has(problem)) return
    this.#failing.add(problem)
    this.#tools.log(line)
  }

  #listTasks(): readonly Task[] {
    const { connection, now, maxAgeMs, budgetBytes } = this.#tools
    const tasks: Task[] = [
      { name: 'add partitions', everyMs: 0, run: () => addPartitions(connection) },
      { name: 'count the running time', everyMs: 0, run: (lease) => this.#countTime(lease) },
      { name: 'finish drops of partitions', everyMs: 0, run: () => this.#finishDrops() },
      { name: 'delete old receipts', everyMs: 0, run: () => deleteReceipts(connection, now()) },
      { name: 'sum old totals', everyMs: RARELY_MS, run: () => this.#foldTotals() },
      { name: 'delete old changes', everyMs: RARELY_MS, run: () => this.#deleteChanges() },
      { name: 'delete former collectors', everyMs: RARELY_MS, run: () => deleteCollectors(connection) },
      { name: 'delete ended limits', everyMs: RARELY_MS, run: () => deleteLimits(connection, now()) },
      { name: 'sum unreported quantities', everyMs: RARELY_MS, run: () => sumUnreported(connection) },
    ]
    if (maxAgeMs !== null)
      tasks.push({ name: 'drop old records', everyMs: RARELY_MS, run: () => this.#dropAged(maxAgeMs) })
    if (budgetBytes !== null)
      tasks.push({ name: 'keep below the budget', everyMs: 0, run: () => this.#dropForSize(budgetBytes) })
    return tasks
  }

  async #measure(): Promise<void> {
    if (this.#tools.budgetBytes !== null) this.#size = await readSize(this.#tools.connection)
  }

  async #countTime(lease: TaskLease): Promise<void> {
    const at = this.#tools.monotonic()
    const elapsed = this.#countedUpTo === null ? 0 : at - this.#countedUpTo
    // Also when the answer is lost: less time is better than time that counts twice.
    this.#countedUpTo = at
    if (elapsed > 0) await advanceRunningTime(this.#tools.connection, lease, elapsed)
  }

  /** Then deletes the batches, which have the times of the totals. */
  async #foldTotals(): Promise<void> {
    const { connection, now } = this.#tools
    await foldTotals(connection, now())
    await deleteCommits(connection, now())
  }

  async #deleteChanges(): Promise<void> {
    const oldest = await readOldest(this.#tools.connection)
    if (oldest !== null) await deleteChanges(this.#tools.connection, oldest)
  }

  async #finishDrops(): Promise<void> {
    for (const partition of await finishDrops(this.#tools.connection))
      this.#report({ result: 'dropped', partition }, 'a drop was interrupted')
  }

  /** Drops one partition after the other. */
  async #dropAged(maxAgeMs: number): Promise<void> {
    const { now } = this.#tools
    for (;;) {
      const dropped = await dropAged(this.#retention(), now() - maxAgeMs)
      this.#report(dropped, 'all of them are older than the maximum age')
      if (dropped.result !== 'dropped' || this.#isStopped) return
      if ((await this.#keepLease()) === null) return
    }
  }

  /** Drops one partition: the next run measures again. */
  async #dropForSize(budgetBytes: number): Promise<void> {
    if (this.#size < budgetBytes * DROP_AT) return
    const dropped = await dropOldest(this.#retention())
    const why = `the database has ${this.#size} bytes and its budget is ${budgetBytes}`
    this.#report(dropped, why)
    const next = dropped.result === 'blocked' ? await dropNextContents(this.#retention()) : dropped
    if (next !== dropped) this.#report(next, `${why}, and older records are pending; their facts stay`)
    if (next.result === 'dropped') await this.#measure()
  }

  #retention(): RetentionTools {
    const { connection, write, maxAgeMs } = this.#tools
    return { connection, write, expiresAfterMs: Math.max(EXPIRES_AFTER_MS, maxAgeMs ?? 0) }
  }

  #report(drop: DropResult, why: string): void {
    if (drop.result === 'none' || drop.result === 'ended') return
    const { first, last, p } = drop.partition
    const name = `records ${first} to ${last} of the shared record`
    if (drop.result === 'dropped') this.#tools.log(`Dropped ${name}: ${why}.`)
    else
      this.#logOnce(
        `blocked ${p}`,
        `Keeps ${name}, although ${why}: ${drop.records} of them are pending or dead letters.`,
      )
  }
}
