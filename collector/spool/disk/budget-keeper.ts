import type { Submission } from '../../../lib/protocol/submission'
import { type StartTimer, startTimer } from '../../../lib/time'
import { DiskFullError, isDiskFull, isLocked } from '../../runtime/sqlite-errors'
import type { Appended, DiskBudgetExceeded } from '../submission'
import type { WriterCalls } from '../writer-methods'
import { EMPTY_BYTES, LOG_ALLOWANCE_BYTES } from './disk-budget'
import {
  type EvictableSpool,
  evictAged,
  evictBatch,
  evictCopies,
  evictExpired,
  fitsAfterEviction,
  type RowsOfRecords,
} from './eviction'

/** Eviction starts at this share of the bound, before an append has to wait for it. */
export const START_AT = 0.9
/** Eviction frees a little more than needed, so that it does not run for each envelope. */
export const STOP_AT = 0.87
/** A database that uses less than this share of the space it has, has free pages. */
const FREE_ENOUGH = 0.95
const TICK_MS = 1000
/** Records stay this much longer than the maximum age. */
const AGE_CHECK_MS = 60_000
/** How long an append waits for eviction. The tunnel's timeout is 5 s: the answer must come before. */
const TIMEOUT_MS = 4000

export class EvictionTimeoutError extends Error {
  constructor() {
    super(`eviction freed no disk space within ${TIMEOUT_MS / 1000} s`)
    this.name = 'EvictionTimeoutError'
  }
}

interface KeeperDeps {
  readonly spool: Pick<WriterCalls, 'append' | 'setBounds' | 'usage' | 'allocateBallast' | 'freeDiskSpace'> &
    EvictableSpool
  readonly rows: RowsOfRecords
  readonly cap: number
  /** Settled records are deleted after this time; `null` for never. */
  readonly maxAgeMs: number | null
  /** Ms since the epoch. */
  readonly now: () => number
  readonly monotonic: () => number
  readonly startTimer?: StartTimer
  /** Called with an error that is neither a full disk nor a locked file: the process must end. */
  readonly onDeath: (error: Error) => void
}

/** Keeps record and rows below the cap, and below their age, by evicting in small batches. Appends that need space wait for eviction. */
export class DiskBudgetKeeper {
  readonly #deps: KeeperDeps
  readonly #startTimer: StartTimer
  #spoolUsed = 0
  #bound: number
  #sentBounds = ''
  #evicting: Promise<boolean> | null = null
  #freeing: Promise<boolean> | null = null
  /** Nothing was left to evict, and nothing that could change that has happened since. */
  #exhausted = false
  #isFull = false
  #stopped = false
  #nextAgeCheckAt = 0
  #cancelTick: () => void = () => undefined

  constructor(deps: KeeperDeps) {
    this.#deps = deps
    this.#startTimer = deps.startTimer ?? startTimer
    this.#bound = deps.cap
  }

  start(): void {
    this.#inBackground(this.#deps.spool.allocateBallast())
    this.#tickLater()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelTick()
    await this.#evicting?.catch(() => undefined)
  }

  /** The disk has less space than the cap allows. */
  get isDiskFull(): boolean {
    return this.#bound < this.#deps.cap
  }

  /** The last submission that could have fitted was refused. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Bytes in use at which eviction starts. */
  get evictsAt(): number {
    return this.#bound * START_AT
  }

  get isEvicting(): boolean {
    return this.#evicting !== null
  }

  spoolGrew(used: number, changed: boolean): void {
    this.#spoolUsed = used
    if (changed) this.#exhausted = false
    this.#check()
  }

  /**
   * If the submission does not fit, evicts first. @returns `DiskBudgetExceeded` when nothing that may be evicted would
   * help.
   * @throws when the disk stays full or eviction does not end in time: nothing is stored.
   */
  async appendWithEviction(submission: Submission): Promise<Appended | DiskBudgetExceeded> {
    const deadline = this.#deps.monotonic() + TIMEOUT_MS
    for (;;) {
      const appended = await this.#tryToAppend(submission, deadline)
      if (appended !== 'retry') return appended
      if (this.#deps.monotonic() >= deadline) throw new EvictionTimeoutError()
    }
  }

  /** Runs work that writes to the record; on a full disk, runs it a second time after space was freed. */
  async writeWithEviction<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      if (!isDiskFull(error) || !(await this.#freeDiskSpace())) throw error
      return work()
    }
  }

  async #tryToAppend(submission: Submission, deadline: number): Promise<Appended | DiskBudgetExceeded | 'retry'> {
    try {
      // An append now would use the space that eviction needs to work.
      if (this.#freeing !== null) await this.#before(deadline, this.#freeing)
      await this.#sendBounds()
      const appended = await this.#deps.spool.append(submission)
      if ('seq' in appended) {
        this.#isFull = false
        return appended
      }
      if (appended.exceedsCap || appended.needed > this.#deps.cap - EMPTY_BYTES)
        return { ...appended, exceedsCap: true }
      if (appended.copiesFull)
        return (await this.#before(deadline, evictCopies(this.#deps.spool, this.#deps.rows))) ? 'retry' : appended
      if (appended.backlogFull)
        // Only pending records have their share, so evicting others would not help.
        return (await this.#before(deadline, evictExpired(this.#deps.spool, this.#deps.rows))) ? 'retry' : appended
      if (await this.#before(deadline, this.#evict(appended.needed))) return 'retry'
      if (this.isDiskFull) throw new DiskFullError('the disk is full, and no record may be evicted')
      this.#isFull = appended.needed <= this.#bound
      return appended
    } catch (error) {
      if (!isDiskFull(error) || !(await this.#before(deadline, this.#freeDiskSpace()))) throw error
      return 'retry'
    }
  }

  /** Waits for work that continues after the deadline. @throws EvictionTimeoutError */
  async #before<Value>(deadline: number, work: Promise<Value>): Promise<Value> {
    let cancel: () => void = () => undefined
    const late = new Promise<never>((_, reject) => {
      const check = (): void => {
        const left = deadline - this.#deps.monotonic()
        if (left <= 0) reject(new EvictionTimeoutError())
        else cancel = this.#startTimer(check, left)
      }
      check()
    })
    return Promise.race([work, late]).finally(() => cancel())
  }

  #used(): number {
    return this.#spoolUsed + this.#deps.rows.usage().used
  }

  #check(): void {
    this.#inBackground(this.#sendBounds())
    if (this.#stopped || this.#exhausted || this.#evicting !== null || this.#used() <= this.evictsAt) return
    this.#inBackground(this.#evict(0))
  }

  #tickLater(): void {
    this.#cancelTick = this.#startTimer(() => {
      this.#inBackground(
        this.#tick().finally(() => {
          if (!this.#stopped) this.#tickLater()
        }),
      )
    }, TICK_MS)
  }

  /** A full disk or a locked file will be met again by the next tick; any other error ends the process. */
  #inBackground(work: Promise<unknown>): void {
    work.catch((error: Error) => {
      if (!this.#stopped && !isDiskFull(error) && !isLocked(error)) this.#deps.onDeath(error)
    })
  }

  /** The writer decides what fits, so it needs the bytes that the rows use. */
  async #sendBounds(): Promise<void> {
    const { used, wal } = this.#deps.rows.usage()
    const bounds = `${this.#bound} ${used} ${wal}`
    if (bounds === this.#sentBounds) return
    this.#sentBounds = bounds
    await this.#deps.spool.setBounds({ cap: this.#bound, rows: used, rowsLog: wal })
  }

  /** Evicts until `needed` bytes fit, and a little more; false when nothing that may be evicted would make them fit. */
  async #evict(needed: number): Promise<boolean> {
    // A submission that never fits must not empty the folder, and eviction does not shrink a log that a reader holds.
    if (needed > this.#bound - EMPTY_BYTES || (await this.#isLogTooLarge(needed))) return false
    if (needed > 0 && !(await fitsAfterEviction(this.#deps.spool, needed, this.#bound))) return false
    while (this.#evicting !== null) await this.#evicting.catch(() => undefined)
    if (needed > 0 && this.#used() + needed <= this.evictsAt) return true
    this.#evicting = this.#evictUntil(needed).finally(() => {
      this.#evicting = null
    })
    return this.#evicting
  }

  async #evictUntil(needed: number): Promise<boolean> {
    if (this.#exhausted) return this.#used() + needed <= this.#bound
    const { spool, rows } = this.#deps
    while (!this.#stopped) {
      const excess = this.#used() + needed - this.#bound * STOP_AT
      if (excess <= 0) break
      this.#exhausted = true
      if (!(await evictBatch(spool, rows, excess))) return this.#used() + needed <= this.#bound
      this.#exhausted = false
      this.#spoolUsed = (await spool.usage()).spool.used
      await this.#sendBounds()
    }
    return true
  }

  /** Also updates the bytes in use, because the writer's last news may not have arrived. */
  async #isLogTooLarge(needed: number): Promise<boolean> {
    const { spool, log } = await this.#deps.spool.usage()
    this.#spoolUsed = spool.used
    const logs = log.log + this.#deps.rows.usage().wal
    return needed > 0 && this.#used() + needed + logs > this.#bound + LOG_ALLOWANCE_BYTES && logs > LOG_ALLOWANCE_BYTES
  }

  async #freeDiskSpace(): Promise<boolean> {
    this.#freeing ??= this.#lowerBound().finally(() => {
      this.#freeing = null
    })
    return this.#freeing
  }

  /**
   * Releases the ballast, truncates the log, and lowers the bound to the bytes in use: a database with free pages needs
   * no disk space. Does not evict when there are free pages already.
   */
  async #lowerBound(): Promise<boolean> {
    try {
      const hasFreed = await this.#deps.spool.freeDiskSpace()
      this.#spoolUsed = (await this.#deps.spool.usage()).spool.used
      const before = this.#used()
      if (this.isDiskFull && before < this.#bound * FREE_ENOUGH) return hasFreed
      this.#bound = Math.min(this.#bound, before)
      this.#exhausted = false
      await this.#evict(0)
      return hasFreed || this.#used() < before
    } catch (error) {
      if (isDiskFull(error)) return false
      throw error
    }
  }

  async #tick(): Promise<void> {
    this.#spoolUsed = (await this.#deps.spool.usage()).spool.used
    if (isDiskFull(this.#deps.rows.stuck())) await this.#freeDiskSpace()
    else if (this.isDiskFull && (await this.#deps.spool.allocateBallast())) this.#bound = this.#deps.cap
    if (this.#used() <= this.#bound * STOP_AT) this.#isFull = false
    this.#check()
    await this.#evictAged()
  }

  /**
   * One batch, so that an append that needs space never waits long; the next tick evicts the next one. Pending records
   * expire as well: without a maximum age they do so only when space is needed.
   */
  async #evictAged(): Promise<void> {
    const { spool, rows, maxAgeMs, monotonic } = this.#deps
    if (maxAgeMs === null || this.#stopped || this.#evicting !== null || monotonic() < this.#nextAgeCheckAt) return
    const now = this.#deps.now()
    const work = async (): Promise<boolean> => {
      const found = (await evictAged(spool, rows, { before: now - maxAgeMs, now })) || (await evictExpired(spool, rows))
      if (!found) this.#nextAgeCheckAt = monotonic() + AGE_CHECK_MS
      return found
    }
    this.#evicting = work().finally(() => {
      this.#evicting = null
    })
    await this.#evicting
  }
}
