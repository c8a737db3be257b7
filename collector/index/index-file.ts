import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import type { FileUse } from '../../lib/wire/storage'
import { isDiskFull } from '../runtime/sqlite-errors'
import { prepareOnce, sizeOf } from '../spool/database'
import { Checkpointer } from '../spool/wal'
import { BATCH_ENVELOPES, type Batch, type BatchTarget, digestBatch, eraseBatch, type OnLost } from './digest-batch'
import type { SpoolRecord } from './traverse-record'
import { RowEraser, RowWriter } from './write-rows'

interface Cursor {
  readonly seq: number
  readonly goal: number
  readonly done: number
  readonly begunAt: number
}

/** One file of rows, by its one connection that writes. */
export class IndexFile {
  readonly path: string
  readonly #db: Database
  readonly #logs: Checkpointer
  readonly #writer: RowWriter
  readonly #eraser: RowEraser
  readonly #skipped: ReadonlySet<number>
  #missing: readonly number[] | null

  /**
   * @param passedOver numbers of records that make no rows any more.
   * @param missing records before the cursor that have no rows; `null` when nobody has looked.
   */
  constructor(
    path: string,
    db: Database,
    {
      now,
      skipped,
      missing,
    }: {
      readonly now: () => number
      readonly skipped: ReadonlySet<number>
      readonly missing: readonly number[] | null
    },
  ) {
    this.path = path
    this.#skipped = skipped
    this.#missing = missing
    this.#db = db
    this.#logs = new Checkpointer(db, now)
    this.#writer = new RowWriter(db)
    this.#eraser = new RowEraser(db)
  }

  get cursor(): Cursor {
    return prepareOnce(this.#db, 'SELECT seq, goal, done, begun_at AS begunAt FROM cursor').get() as Cursor
  }

  digest(records: readonly SpoolRecord[], now: () => number, limits: ReadLimits): Batch {
    return this.#logged(() => digestBatch(records, this.#target, now, limits))
  }

  /** Records that the cursor has passed and that have no rows; `null` when nobody has looked. */
  get missing(): readonly number[] | null {
    return this.#missing
  }

  /**
   * Rows go before their record does: a process that ended in between left records behind that have none.
   * @param kept what is on record after a number and up to the cursor.
   */
  findMissing(kept: readonly number[], after: number): void {
    const there = new Set(this.#db.prepare('SELECT seq FROM envelopes WHERE seq > ?').pluck().all(after) as number[])
    this.#missing = kept.filter((seq) => !there.has(seq) && !this.#skipped.has(seq))
  }

  /** Digests the first of what is missing; the cursor stays. @param records the first batch of them that is kept. */
  digestMissing(records: readonly SpoolRecord[], now: () => number, limits: ReadLimits): Batch {
    const { seq: stayAt } = this.cursor
    const { undigested } = this.#logged(() => digestBatch(records, { ...this.#target, stayAt }, now, limits))
    const missing = this.#missing ?? []
    const upTo = records.at(-1)?.seq ?? missing[BATCH_ENVELOPES - 1] ?? stayAt
    this.#missing = missing.filter((seq) => seq > upTo)
    return { upTo: stayAt, undigested, more: true }
  }

  /** Records beyond the cursor have no rows here. */
  erase(seqs: readonly number[], records: readonly SpoolRecord[], limits: ReadLimits, onLost: OnLost): void {
    const { seq: upTo } = this.cursor
    if (this.#missing !== null && this.#missing.length > 0)
      this.#missing = this.#missing.filter((seq) => !seqs.includes(seq))
    const target = { db: this.#db, eraser: this.#eraser }
    const ours = seqs.filter((seq) => seq <= upTo)
    const read = records.filter(({ seq }) => seq <= upTo)
    this.#logged(() => eraseBatch(ours, read, target, limits, onLost))
  }

  use(): FileUse {
    return {
      used: Number(prepareOnce(this.#db, PAGES_IN_USE).pluck().get()),
      file: sizeOf(this.path),
      wal: sizeOf(`${this.path}-wal`),
    }
  }

  /**
   * Folds the whole log into the file, so that the file alone is everything.
   * @throws when somebody who reads keeps it from being folded; nobody is waited for.
   */
  fold(): void {
    this.#db.pragma('busy_timeout = 0')
    const [{ busy } = { busy: 1 }] = this.#db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    this.#db.pragma(`busy_timeout = ${TIMEOUT_MS}`)
    if (busy !== 0) throw new Error(`another program reads ${this.path}, and its rows cannot be exchanged meanwhile`)
  }

  close(): void {
    this.#db.close()
  }

  /** Does what writes. A disk that is full takes no more of the log: folded, it begins anew in the room that it has. */
  #logged<Value>(write: () => Value): Value {
    try {
      const value = write()
      this.#logs.checkpointIfGrown()
      return value
    } catch (error) {
      if (error instanceof Error && isDiskFull(error)) this.#logs.checkpoint()
      throw error
    }
  }

  get #target(): BatchTarget {
    return { db: this.#db, writer: this.#writer, skipped: this.#skipped }
  }
}

const PAGES_IN_USE = `SELECT ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count))
  * (SELECT page_size FROM pragma_page_size)`

/** As the connection was opened. */
const TIMEOUT_MS = 5000

/** What a file takes that cannot be asked. */
export const useOfFile = (path: string): FileUse => {
  const [file, wal] = [sizeOf(path), sizeOf(`${path}-wal`)]
  return { used: file, file, wal }
}
