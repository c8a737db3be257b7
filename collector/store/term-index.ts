import type { Database, Statement } from 'better-sqlite3'
import type { BoundRow } from './contributions'
import { segmentTerms, type TermsTable } from './described'

/**
 * By what things of a list can be found. FTS5 writes out what it holds at every savepoint, and each envelope has one: so
 * its tables are written at the end of a batch alone, in its transaction.
 */
export class TermIndex {
  readonly #insert: Statement
  readonly #remove: Statement

  constructor(db: Database, table: TermsTable) {
    this.#insert = db.prepare(`INSERT INTO ${table} (rowid, terms) VALUES (?, ?)`)
    this.#remove = db.prepare(`DELETE FROM ${table} WHERE rowid = ?`)
  }

  /** What stood in this place has been removed. */
  add(listPlace: number, terms: string): void {
    this.#insert.run(listPlace, terms)
  }

  remove(listPlace: number): void {
    this.#remove.run(listPlace)
  }
}

/** The segments that are shown, by what they can be found; the last word of a batch counts. */
export class SegmentTerms {
  readonly #index: TermIndex
  /** Of the envelope at hand, by their places: the row that is shown there, `null` where it no longer is. */
  readonly #staged = new Map<number, BoundRow | null>()
  /** The same of the whole batch. */
  readonly #batch = new Map<number, BoundRow | null>()

  constructor(db: Database) {
    this.#index = new TermIndex(db, 'segment_terms')
  }

  show(row: BoundRow): void {
    this.#staged.set(Number(row.listPlace), row)
  }

  hide(row: BoundRow): void {
    this.#staged.set(Number(row.listPlace), null)
  }

  keepEnvelope(): void {
    for (const [listPlace, row] of this.#staged) this.#batch.set(listPlace, row)
    this.#staged.clear()
  }

  /** The envelope at hand threw, and its rows are rolled back. */
  dropEnvelope(): void {
    this.#staged.clear()
  }

  /** Forgets what a batch that failed had touched. */
  abandon(): void {
    this.#staged.clear()
    this.#batch.clear()
  }

  finish(): void {
    for (const [listPlace, row] of this.#batch)
      if (row === null) this.#index.remove(listPlace)
      else this.#index.add(listPlace, segmentTerms(row))
    this.#batch.clear()
  }
}
