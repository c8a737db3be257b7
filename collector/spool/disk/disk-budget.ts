import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, Statement } from 'better-sqlite3'
import { sizeOf } from '../../runtime/database'

/** The share of the cap that pending records may use. Beyond it, submissions are refused. */
const PENDING_SHARE = 3 / 4
/** The share of the cap that the bodies of copies may use: senders of copies need no key. */
const COPIES_SHARE = 1 / 8
/** Appends leave this share of the cap to the rows of submissions that are stored and not digested yet. */
const ROWS_TO_COME_SHARE = 1 / 100

/** @returns bytes, of a cap in bytes. */
export const capOfAppends = (cap: number): number => Math.floor(cap * (1 - ROWS_TO_COME_SHARE))

/** Write-ahead logs may use this much beyond the cap, because a reader of another program may hold them. */
export const LOG_ALLOWANCE_BYTES = 64 * 1024 * 1024

/** A data folder without records takes at least this much. */
export const EMPTY_BYTES = 128 * 1024

/** Limits that the main thread computes for the writer thread. */
export interface DiskBounds {
  readonly cap: number
  readonly rows: number
  readonly rowsLog: number
}

/** Running sums, so that no append has to scan for them. */
interface Sums {
  readonly records: number
  readonly pendingRecords: number
  readonly pendingBytes: number
  readonly deadRecords: number
  readonly deadBytes: number
  /** Bytes stored since the pages were counted last. */
  readonly added: number
}

/** Belongs to the writer thread, so that nothing else can use the space between its decision and the write. */
export class DiskBudget {
  readonly #pages: Statement
  readonly #pageBytes: number
  /** Fixed: a full disk lowers the bound to the bytes in use, which must not cut the share of pending records. */
  readonly #cap: number
  #bounds: DiskBounds
  #sums: Sums
  #used = 0
  #log = 0
  /** Bytes of the last submission that exceeded the share: while one like it does not fit, the backlog is full. */
  #refused = 0

  constructor(db: Database, cap: number) {
    this.#pages = db
      .prepare('SELECT (SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count)')
      .pluck()
    this.#pageBytes = Number(db.pragma('page_size', { simple: true }))
    this.#cap = cap
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
    this.recount(0)
  }

  get bounds(): DiskBounds {
    return this.#bounds
  }

  set bounds(bounds: DiskBounds) {
    this.#bounds = bounds
  }

  /** The sums are read before a transaction or savepoint, and set back when it is rolled back. */
  get sums(): Sums {
    return this.#sums
  }

  set sums(sums: Sums) {
    this.#sums = sums
  }

  get used(): number {
    return this.#used + this.#sums.added
  }

  get pendingCap(): number {
    return Math.floor(this.#cap * PENDING_SHARE)
  }

  get copiesCap(): number {
    return Math.floor(this.#cap * COPIES_SHARE)
  }

  get isBacklogFull(): boolean {
    const { pendingBytes } = this.#sums
    return pendingBytes > 0 && pendingBytes + Math.max(this.#refused, this.pendingCap / 100) > this.pendingCap
  }

  /** Counts the pages again, after a commit. @param log bytes of the record's write-ahead log. */
  recount(log: number): void {
    this.#used = Number(this.#pages.get()) * this.#pageBytes
    this.#sums = { ...this.#sums, added: 0 }
    this.#log = log
  }

  /** @param share of the cap that may be used afterwards */
  fits(bytes: number, share = 1): boolean {
    const { rows, rowsLog } = this.#bounds
    const cap = this.#bounds.cap * share
    const use = this.used + rows + bytes
    return use <= cap && use + this.#log + rowsLog <= cap + LOG_ALLOWANCE_BYTES
  }

  /** Like `fitsPendingShare`, for a submission that is refused otherwise. */
  mayBePending(bytes: number): boolean {
    const fits = this.fitsPendingShare(bytes)
    if (!fits) this.#refused = bytes
    return fits
  }

  fitsPendingShare(bytes: number): boolean {
    return this.#sums.pendingBytes + bytes <= this.pendingCap
  }

  addRecord(bytes: number): void {
    this.#sums = { ...this.#sums, records: this.#sums.records + 1, added: this.#sums.added + bytes }
  }

  removeRecord(): void {
    this.#sums = { ...this.#sums, records: this.#sums.records - 1 }
  }

  addPending(bytes: number): void {
    this.#changePending(1, bytes)
  }

  removePending(bytes: number): void {
    this.#changePending(-1, -bytes)
  }

  /** Dead letters do not count towards the share of pending records. */
  addDeadLetter(bytes: number): void {
    this.#changeDead(1, bytes)
  }

  removeDeadLetter(bytes: number): void {
    this.#changeDead(-1, -bytes)
  }

  #changePending(records: number, bytes: number): void {
    const { pendingRecords, pendingBytes } = this.#sums
    this.#sums = { ...this.#sums, pendingRecords: pendingRecords + records, pendingBytes: pendingBytes + bytes }
  }

  #changeDead(records: number, bytes: number): void {
    const { deadRecords, deadBytes } = this.#sums
    this.#sums = { ...this.#sums, deadRecords: deadRecords + records, deadBytes: deadBytes + bytes }
  }
}

/** Enough for the log of the transactions that evict. */
export const BALLAST_BYTES = 4 * 1024 * 1024
/** The ballast is allocated only if this much stays free. */
const FREE_AFTER_BALLAST_BYTES = 8 * 1024 * 1024

/** A file of random bytes that is deleted when the disk is full: deleting from a database takes disk space. */
export class Ballast {
  readonly #folder: string
  readonly #path: string

  constructor(folder: string) {
    this.#folder = folder
    this.#path = join(folder, 'ballast')
  }

  get released(): boolean {
    return sizeOf(this.#path) !== BALLAST_BYTES
  }

  /** Writes the file if it is missing and the disk has space. @returns whether it exists afterwards. */
  allocate(): boolean {
    if (!this.released) return true
    try {
      const { bavail, bsize } = statfsSync(this.#folder)
      if (bavail * bsize < BALLAST_BYTES + FREE_AFTER_BALLAST_BYTES) return false
      this.#write()
      return true
    } catch {
      // The disk filled up meanwhile.
      rmSync(`${this.#path}.new`, { force: true })
      return false
    }
  }

  release(): boolean {
    const existed = !this.released
    rmSync(this.#path, { force: true })
    return existed
  }

  #write(): void {
    const file = openSync(`${this.#path}.new`, 'w', 0o600)
    try {
      // Random, so that neither a sparse file nor a compressing file system saves the space.
      const bytes = randomBytes(BALLAST_BYTES)
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(`${this.#path}.new`, this.#path)
  }
}
