import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import type { FileUse, Rebuild } from '../../lib/wire/storage'
import { Checkpointer } from '../runtime/checkpointer'
import { prepareOnce, sizeOf } from '../runtime/database'
import { isDiskFull } from '../runtime/sqlite-errors'
import { BATCH_ENVELOPES, headOf, nextSubmissions, rowsFrom, seqsBetween, submissionsBySeq } from '../spool/local'
import { type Batch, digestBatch, eraseBatch } from './digest-batch'
import { fromSpool } from './index-damage'
import { RowWriter } from './rows/write-rows'

interface Cursor {
  readonly seq: number
  /** The last record that was there when the file was created. */
  readonly goal: number
  readonly done: number
  readonly begunAt: number
}

interface DigestSource {
  readonly spool: Database
  readonly sizeLimits: ReadLimits
  readonly now: () => number
}

/** One index file with its only writing connection. */
export class IndexFile {
  readonly path: string
  readonly #db: Database
  readonly #checkpointer: Checkpointer
  readonly #writer: RowWriter
  readonly #skipped: ReadonlySet<number>
  #missing: readonly number[] | null
  /** Records before the cursor that came after those, ascending. */
  #older: readonly number[] = []

  /**
   * @param skipped numbers of records that are not digested, because they are about to be evicted
   * @param missing numbers before the cursor whose records have no rows; `null` until they were searched for
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
    this.#checkpointer = new Checkpointer(db, now)
    this.#writer = new RowWriter(db)
  }

  get cursor(): Cursor {
    return prepareOnce(this.#db, 'SELECT seq, goal, done, begun_at AS begunAt FROM cursor').get() as Cursor
  }

  get missing(): readonly number[] | null {
    return this.#missing
  }

  /** Records that `addOlder` named and that have no rows yet. */
  get older(): readonly number[] {
    return this.#older
  }

  /** Records that came to be on record before others that have rows. Those after the cursor need not be named. */
  addOlder(seqs: readonly number[]): void {
    const { seq: cursor } = this.cursor
    const hasRows = prepareOnce(this.#db, 'SELECT 1 FROM envelopes WHERE seq = ?').pluck()
    const added = seqs.filter((seq) => seq <= cursor && hasRows.get(seq) === undefined)
    this.#older = [...new Set([...this.#older, ...added])].sort((one, other) => one - other)
  }

  /** First the records before the cursor that have no rows, then those after it, then those that `addOlder` named. */
  digestNext({ spool, sizeLimits, now }: DigestSource): Batch {
    const { seq } = this.cursor
    const missing = this.#missing ?? this.#findMissing(spool, seq)
    if (missing.length > 0) {
      const { batch, left } = this.#digestListed(missing, { spool, sizeLimits, now })
      this.#missing = left
      return batch
    }
    const records = fromSpool(() => nextSubmissions(spool, seq))
    if (records.length === 0 && this.#older.length > 0) {
      const { batch, left } = this.#digestListed(this.#older, { spool, sizeLimits, now })
      this.#older = left
      return batch
    }
    const batch = this.#writing(() => digestBatch(records, this.#target, now, sizeLimits))
    return { ...batch, more: batch.more || this.#older.length > 0 }
  }

  /** Rows are erased before their record: a process that died in between left records without rows. */
  #findMissing(spool: Database, cursor: number): readonly number[] {
    const from = fromSpool(() => rowsFrom(spool))
    const onRecord = fromSpool(() => seqsBetween(spool, from, cursor))
    const digested = new Set(this.#db.prepare('SELECT seq FROM envelopes WHERE seq > ?').pluck().all(from) as number[])
    this.#missing = onRecord.filter((seq) => !digested.has(seq) && !this.#skipped.has(seq))
    this.#older = []
    return this.#missing
  }

  /** Digests the first of these records, which are before the cursor. */
  #digestListed(
    seqs: readonly number[],
    { spool, sizeLimits, now }: DigestSource,
  ): { readonly batch: Batch; readonly left: readonly number[] } {
    const records = fromSpool(() => submissionsBySeq(spool, seqs))
    const { seq: stayAt } = this.cursor
    const { undigested, traces } = this.#writing(() =>
      digestBatch(records, { ...this.#target, stayAt }, now, sizeLimits),
    )
    const upTo = records.at(-1)?.seq ?? seqs[BATCH_ENVELOPES - 1] ?? stayAt
    return { batch: { upTo: stayAt, undigested, traces, more: true }, left: seqs.filter((seq) => seq > upTo) }
  }

  /** Erases the rows of some records. Records after the cursor have none here. */
  erase(seqs: readonly number[]): void {
    if (this.#missing !== null && this.#missing.length > 0)
      this.#missing = this.#missing.filter((seq) => !seqs.includes(seq))
    if (this.#older.length > 0) this.#older = this.#older.filter((seq) => !seqs.includes(seq))
    for (let at = 0; at < seqs.length; at += BATCH_ENVELOPES)
      this.#writing(() => eraseBatch(seqs.slice(at, at + BATCH_ENVELOPES), this.#target))
  }

  use(): FileUse {
    return {
      used: Number(prepareOnce(this.#db, BYTES_IN_USE).pluck().get()),
      file: sizeOf(this.path),
      wal: sizeOf(`${this.path}-wal`),
    }
  }

  /** Moves the log into the file. @throws when another program reads the file; does not wait for it. */
  checkpoint(): void {
    this.#db.pragma('busy_timeout = 0')
    const [{ busy } = { busy: 1 }] = this.#db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    this.#db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
    if (busy !== 0)
      throw new Error(`another program reads ${this.path}, so the file cannot be replaced; end that program`)
  }

  close(): void {
    this.#db.close()
  }

  /** Runs a write. On a full disk the log cannot grow: a checkpoint lets SQLite reuse its space. */
  #writing<Value>(write: () => Value): Value {
    try {
      const value = write()
      this.#checkpointer.checkpointIfGrown()
      return value
    } catch (error) {
      if (error instanceof Error && isDiskFull(error)) this.#checkpointer.checkpoint()
      throw error
    }
  }

  get #target() {
    return { db: this.#db, writer: this.#writer, skipped: this.#skipped }
  }
}

const BYTES_IN_USE = `SELECT ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count))
  * (SELECT page_size FROM pragma_page_size)`

const BUSY_TIMEOUT_MS = 5000

export const sizeOfDamaged = (path: string): FileUse => {
  const [file, wal] = [sizeOf(path), sizeOf(`${path}-wal`)]
  return { used: file, file, wal }
}

export function isCatchingUp(spool: Database, file: IndexFile): boolean {
  const { seq, goal } = file.cursor
  // Records up to the goal may have been evicted in the meantime.
  return seq < Math.min(goal, headOf(spool))
}

/** Numbers of evicted records count until the cursor passes them: the result is exact only at the end. */
export function progressOf(spool: Database, file: IndexFile): Rebuild {
  const { seq, done, begunAt } = file.cursor
  const left = Math.max(0, headOf(spool) - Math.max(seq, rowsFrom(spool)))
  return { done, of: done + left, startedAt: begunAt }
}
