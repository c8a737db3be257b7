import { isLocked } from '../runtime/damage'
import { isDiskFull } from '../runtime/disk-full'
import { type EvictableSpool, evictBatch, fitsBesidePending, type RowsOfRecords } from './evict-batch'
import { EMPTY_BYTES, LOG_ALLOWANCE_BYTES } from './room'
import type { Spool } from './spool'
import type { Appended, NoRoom, Submission } from './submission'
import { inTime, OUT_OF_TIME, TIMEOUT_MS } from './wait-for-space'

/** Room is made before the cap is reached, so that hardly anybody has to wait for it. */
export const START_AT = 0.9
/** And a little more than was needed, so that it is not made for each envelope anew. */
export const STOP_AT = 0.87
/** Used less than this of what the disk has, a database has free pages. */
const FREE_ENOUGH = 0.95
const TICK_MS = 1000

export interface RoomTools {
  readonly spool: Pick<Spool, 'append' | 'bound' | 'usage' | 'takeBallast' | 'lighten'> & EvictableSpool
  readonly rows: RowsOfRecords
  /** `WAYSTATION_MAX_DISK`. */
  readonly cap: number
  /** Ms that only ever grow. */
  readonly monotonic: () => number
  /** Runs work later; returns how to take it back. */
  readonly later: (work: () => void, ms: number) => () => void
  /** Something that is no full disk: the process ends with it. */
  readonly onDeath: (error: Error) => void
}

/** Keeps record and rows within the cap: makes room in small batches, and lets whoever appends wait for it. */
export class RoomKeeper {
  readonly #tools: RoomTools
  /** Pages in use of the record, as the writer counted last. */
  #spoolUsed = 0
  /** What is kept at most: the cap, or less while the disk itself has no more. */
  #bound: number
  #told = ''
  #making: Promise<boolean> | null = null
  #squeezing: Promise<boolean> | null = null
  /** Nothing was left to evict, and nothing has happened since that could change it. */
  #exhausted = false
  #isFull = false
  #stopped = false
  #cancelTick: () => void = () => undefined

  constructor(tools: RoomTools) {
    this.#tools = tools
    this.#bound = tools.cap
  }

  /** Takes the ballast aboard, and looks around each second until it is stopped. */
  start(): void {
    this.#guard(this.#tools.spool.takeBallast())
    this.#tickLater()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelTick()
    await this.#making?.catch(() => undefined)
  }

  /** The disk has no more room, whatever the cap says. */
  get isSqueezed(): boolean {
    return this.#bound < this.#tools.cap
  }

  /** The last envelope that could have fitted was refused. */
  get isFull(): boolean {
    return this.#isFull
  }

  get isEvicting(): boolean {
    return this.#making !== null
  }

  /** The spool was written. @param changed facts that may have made something evictable. */
  spoolGrew(used: number, changed: boolean): void {
    this.#spoolUsed = used
    if (changed) this.#exhausted = false
    this.#look()
  }

  /** Rows were written. */
  rowsGrew(): void {
    this.#exhausted = false
    this.#look()
  }

  /**
   * Appends; where there is no room it is made first. @returns `NoRoom` only when nothing can be evicted.
   * @throws when the disk is full and stays so, or when room was not made in time: nothing is stored.
   */
  async append(submission: Submission): Promise<Appended | NoRoom> {
    const until = this.#tools.monotonic() + TIMEOUT_MS
    for (;;) {
      const given = await this.#tryToAppend(submission, until)
      if (given !== 'again') return given
      if (this.#tools.monotonic() >= until) throw new Error(OUT_OF_TIME)
    }
  }

  /** Does what writes to the record; where the disk is full, once more after room was made. */
  async write<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Error && isDiskFull(error)) || !(await this.#squeeze())) throw error
      return work()
    }
  }

  async #tryToAppend(submission: Submission, until: number): Promise<Appended | NoRoom | 'again'> {
    try {
      // Who came now would take the room that whoever makes some needs for it.
      if (this.#squeezing !== null) await inTime(this.#tools, until, this.#squeezing)
      await this.#tellBounds()
      const given = await this.#tools.spool.append(submission)
      if ('seq' in given) {
        this.#isFull = false
        return given
      }
      if (given.needed > this.#tools.cap - EMPTY_BYTES) return { ...given, fitsNever: true }
      if (await inTime(this.#tools, until, this.#make(given.needed))) return 'again'
      if (this.isSqueezed) throw new Error('the disk is full, and nothing that is kept may go')
      this.#isFull = given.needed <= this.#bound
      return given
    } catch (error) {
      if (!(error instanceof Error && isDiskFull(error)) || !(await inTime(this.#tools, until, this.#squeeze())))
        throw error
      return 'again'
    }
  }

  #use(): number {
    return this.#spoolUsed + this.#tools.rows.usage().used
  }

  #look(): void {
    this.#guard(this.#tellBounds())
    if (this.#stopped || this.#exhausted || this.#making !== null || this.#use() <= this.#bound * START_AT) return
    this.#guard(this.#make(0))
  }

  #tickLater(): void {
    this.#cancelTick = this.#tools.later(() => {
      this.#guard(
        this.#tick().finally(() => {
          if (!this.#stopped) this.#tickLater()
        }),
      )
    }, TICK_MS)
  }

  /** What nobody waits for: a disk that is full, or a file that somebody locks, is met again; anything else is the end. */
  #guard(work: Promise<unknown>): void {
    work.catch((error: Error) => {
      if (!this.#stopped && !isDiskFull(error) && !isLocked(error)) this.#tools.onDeath(error)
    })
  }

  /** The writer decides what fits, so it must know what the rows use. */
  async #tellBounds(): Promise<void> {
    const { used, wal } = this.#tools.rows.usage()
    const told = `${this.#bound} ${used} ${wal}`
    if (told === this.#told) return
    this.#told = told
    await this.#tools.spool.bound({ cap: this.#bound, rows: used, rowsLog: wal })
  }

  /**
   * Makes room for so many bytes, and a little more; one at a time.
   * @returns false when nothing can be evicted that would make it.
   */
  async #make(needed: number): Promise<boolean> {
    // What never fits must not empty the folder in vain; a log that a reader holds is not made smaller by evicting.
    if (needed > this.#bound - EMPTY_BYTES || (await this.#isLogTooLarge(needed))) return false
    if (needed > 0 && !(await fitsBesidePending(this.#tools.spool, needed, this.#bound))) return false
    while (this.#making !== null) await this.#making.catch(() => undefined)
    if (needed > 0 && this.#use() + needed <= this.#bound * START_AT) return true
    this.#making = this.#evictUntil(needed).finally(() => {
      this.#making = null
    })
    return this.#making
  }

  async #evictUntil(needed: number): Promise<boolean> {
    if (this.#exhausted) return this.#use() + needed <= this.#bound
    const { spool, rows } = this.#tools
    while (!this.#stopped) {
      const excess = this.#use() + needed - this.#bound * STOP_AT
      if (excess <= 0) break
      this.#exhausted = true
      if (!(await evictBatch(spool, rows, excess))) return this.#use() + needed <= this.#bound
      this.#exhausted = false
      this.#spoolUsed = (await spool.usage()).spool.used
      await this.#tellBounds()
    }
    return true
  }

  /** Counts what is used, too: the news of it may still be on their way. */
  async #isLogTooLarge(needed: number): Promise<boolean> {
    const { spool, log } = await this.#tools.spool.usage()
    this.#spoolUsed = spool.used
    const logs = log.log + this.#tools.rows.usage().wal
    return needed > 0 && this.#use() + needed + logs > this.#bound + LOG_ALLOWANCE_BYTES && logs > LOG_ALLOWANCE_BYTES
  }

  /** The disk is full. @returns whether room was made. */
  async #squeeze(): Promise<boolean> {
    this.#squeezing ??= this.#makeDoWithLess().finally(() => {
      this.#squeezing = null
    })
    return this.#squeezing
  }

  /**
   * The ballast goes overboard, and the log; what is used now is all that may be used, and of that some is evicted: a
   * database that has free pages asks the disk for none. Where it has them already, and the disk is full nevertheless,
   * evicting more would be in vain.
   */
  async #makeDoWithLess(): Promise<boolean> {
    try {
      const hasGiven = await this.#tools.spool.lighten()
      this.#spoolUsed = (await this.#tools.spool.usage()).spool.used
      const before = this.#use()
      if (this.isSqueezed && before < this.#bound * FREE_ENOUGH) return hasGiven
      this.#bound = Math.min(this.#bound, before)
      this.#exhausted = false
      await this.#make(0)
      return hasGiven || this.#use() < before
    } catch (error) {
      if (error instanceof Error && isDiskFull(error)) return false
      throw error
    }
  }

  async #tick(): Promise<void> {
    this.#spoolUsed = (await this.#tools.spool.usage()).spool.used
    const stuck = this.#tools.rows.stuck()
    if (stuck !== null && isDiskFull(new Error(stuck))) await this.#squeeze()
    else if (this.isSqueezed && (await this.#tools.spool.takeBallast())) this.#bound = this.#tools.cap
    if (this.#use() <= this.#bound * STOP_AT) this.#isFull = false
    this.#look()
  }
}
