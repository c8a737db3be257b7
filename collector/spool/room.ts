import type { Database, Statement } from 'better-sqlite3'

/** Of the cap, what may be pending: beyond it what arrives is stored but not pending. */
const PENDING_SHARE = 3 / 4
/** Logs may take so much beyond the cap, for a read of somebody else's may hold them. */
export const LOG_ALLOWANCE_BYTES = 64 * 1024 * 1024

/** A folder with nothing on record takes more than this. */
export const EMPTY_BYTES = 128 * 1024

/** What the record cannot know by itself. */
export interface Bounds {
  /** Bytes that record and rows may use together. */
  readonly cap: number
  /** Pages in use of the rows' file, in bytes. */
  readonly rows: number
  /** Bytes of the rows' log. */
  readonly rowsLog: number
}

/** Running sums, so that no append has to scan for them. */
interface Sums {
  readonly records: number
  readonly pendingRecords: number
  readonly pendingBytes: number
  readonly deadRecords: number
  readonly deadBytes: number
  /** Stored since the pages were last counted. */
  readonly added: number
}

/**
 * Knows what is used and decides what fits. It belongs to the one writer, so between its decision and the row nobody
 * else can take the room.
 */
export class Room {
  readonly #pages: Statement
  readonly #pageBytes: number
  #bounds: Bounds
  #sums: Sums
  #used = 0
  #log = 0
  /** The largest that overflowed last: while no such would fit, the backlog is at its bound. */
  #overflowed = 0

  constructor(db: Database, cap: number) {
    this.#pages = db
      .prepare('SELECT (SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count)')
      .pluck()
    this.#pageBytes = Number(db.pragma('page_size', { simple: true }))
    this.#bounds = { cap, rows: 0, rowsLog: 0 }
    const sumOf = (table: string) =>
      db.prepare(`SELECT count(*) AS records, coalesce(sum(stored_bytes), 0) AS bytes FROM ${table}`).get() as {
        records: number
        bytes: number
      }
    const [pending, dead] = [sumOf('pending_deliveries'), sumOf('dead_letters')]
    this.#sums = {
      records: Number(db.prepare('SELECT count(*) FROM submissions').pluck().get()),
      pendingRecords: pending.records,
      pendingBytes: pending.bytes,
      deadRecords: dead.records,
      deadBytes: dead.bytes,
      added: 0,
    }
    this.count(0)
  }

  get bounds(): Bounds {
    return this.#bounds
  }

  set bounds(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** A place to come back to when what was staged since is rolled back. */
  get sums(): Sums {
    return this.#sums
  }

  set sums(sums: Sums) {
    this.#sums = sums
  }

  /** Pages of the record's file in use, in bytes. */
  get used(): number {
    return this.#used + this.#sums.added
  }

  get pendingCap(): number {
    return Math.floor(this.#bounds.cap * PENDING_SHARE)
  }

  get isOverflowing(): boolean {
    const { pendingBytes } = this.#sums
    return pendingBytes > 0 && pendingBytes + Math.max(this.#overflowed, this.pendingCap / 100) > this.pendingCap
  }

  /** Counts the pages anew. @param log bytes of the record's log. */
  count(log: number): void {
    this.#used = Number(this.#pages.get()) * this.#pageBytes
    this.#sums = { ...this.#sums, added: 0 }
    this.#log = log
  }

  /** Is there room for so many bytes more? */
  fits(bytes: number): boolean {
    const { cap, rows, rowsLog } = this.#bounds
    const use = this.used + rows + bytes
    return use <= cap && use + this.#log + rowsLog <= cap + LOG_ALLOWANCE_BYTES
  }

  /** May so many bytes be pending too? Where they may not, what is pending is at its bound. */
  mayOwe(bytes: number): boolean {
    const may = this.hasShareFor(bytes)
    if (!may) this.#overflowed = bytes
    return may
  }

  /** Is there room for so many bytes more in the share of what is pending? */
  hasShareFor(bytes: number): boolean {
    return this.#sums.pendingBytes + bytes <= this.pendingCap
  }

  stored(bytes: number): void {
    this.#sums = { ...this.#sums, records: this.#sums.records + 1, added: this.#sums.added + bytes }
  }

  pending(bytes: number): void {
    this.#addPending(1, bytes)
  }

  settled(bytes: number): void {
    this.#addPending(-1, -bytes)
  }

  /** It became a dead letter, which has no share of its own. */
  buried(bytes: number): void {
    this.#addDead(1, bytes)
  }

  exhumed(bytes: number): void {
    this.#addDead(-1, -bytes)
  }

  gone(): void {
    this.#sums = { ...this.#sums, records: this.#sums.records - 1 }
  }

  #addPending(records: number, bytes: number): void {
    const { pendingRecords, pendingBytes } = this.#sums
    this.#sums = { ...this.#sums, pendingRecords: pendingRecords + records, pendingBytes: pendingBytes + bytes }
  }

  #addDead(records: number, bytes: number): void {
    const { deadRecords, deadBytes } = this.#sums
    this.#sums = { ...this.#sums, deadRecords: deadRecords + records, deadBytes: deadBytes + bytes }
  }
}
