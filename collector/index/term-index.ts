import type { Database, Statement } from 'better-sqlite3'

/** The tables of terms. */
export type TermsTable = 'trace_terms' | 'segment_terms' | 'record_terms'

/** Terms come cut, by spaces: all that is not ASCII is part of a word. Of them no more is kept than where they stand. */
export const createTerms = (table: TermsTable): string =>
  `CREATE VIRTUAL TABLE ${table} USING fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`

/**
 * The end of a statement that goes through what matches `@match`, the last first, below `@before` and from `@floor` on. A
 * bound that is not bound as an integer is none to FTS5, SQLite takes its word for it, and larger numbers are bound as
 * others.
 */
export const matching = (table: TermsTable): string =>
  `${table} MATCH @match AND ${table}.rowid < CAST(@before AS INTEGER) AND ${table}.rowid >= CAST(@floor AS INTEGER)
   ORDER BY ${table}.rowid DESC`

/**
 * By what things of a list can be found. FTS5 writes out what it holds at every savepoint, and each envelope has one: so
 * its tables are written at the end of a batch alone, in its transaction.
 */
export class TermIndex {
  readonly #write: Statement
  readonly #remove: Statement

  constructor(db: Database, table: TermsTable) {
    this.#write = db.prepare(`INSERT OR REPLACE INTO ${table} (rowid, terms) VALUES (?, ?)`)
    this.#remove = db.prepare(`DELETE FROM ${table} WHERE rowid = ?`)
  }

  write(place: number, terms: string): void {
    this.#write.run(place, terms)
  }

  remove(place: number): void {
    this.#remove.run(place)
  }
}
