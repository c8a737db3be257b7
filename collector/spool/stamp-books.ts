import type { Database, Statement } from 'better-sqlite3'
import { type BookedRecord, type BookLine, DISCARDED, summed } from './book-lines'
import { prepareAll } from './prepare'

/** Stamps whose books are kept: those that were seen last. */
export const MOST_STAMPS = 1000
/** Rows of all of them: a sender's own words could fill many. */
export const MOST_ROWS = 100_000

interface KeptStamp {
  /** Its books hold what was received from this journal number on. */
  readonly since: number
  readonly seen: number
}

/**
 * The same books, for what came with a stamp. One that was let go and comes again begins anew, so what is settled of
 * records from before is not booked: it was not received in these books.
 */
export class StampBooks {
  readonly #db: Database
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>
  /** Those seen last come last. */
  #stamps = new Map<string, KeptStamp>()
  #rows = 0

  constructor(db: Database) {
    this.#db = db
    this.#sql = prepareAll(db, SQL)
    this.reload()
  }

  /** Reads anew what is kept, for a transaction that wrote here was rolled back. */
  reload(): void {
    const kept = this.#db.prepare('SELECT stamp, since, journal AS seen FROM stamps ORDER BY journal').all()
    this.#stamps = new Map(
      (kept as (KeptStamp & { readonly stamp: string })[]).map(({ stamp, ...one }) => [stamp, one]),
    )
    this.#rows = Number(this.#db.prepare('SELECT count(*) FROM stamp_ledger_totals').pluck().get())
  }

  /** Within a transaction. @param lines in the order in which they were booked. */
  write(lines: readonly (BookLine & BookedRecord)[]): void {
    const byStamp = new Map<string, BookLine[]>()
    for (const line of lines) {
      if (line.stamp === null) continue
      if (line.entry === 'received' || line.entry === DISCARDED) this.#see(line.stamp, line.journal)
      const since = this.#stamps.get(line.stamp)?.since ?? Number.POSITIVE_INFINITY
      if (line.journal < since) continue
      const of = byStamp.get(line.stamp) ?? []
      byStamp.set(line.stamp, of)
      of.push(line)
    }
    for (const [stamp, of] of byStamp) this.#writeOf(stamp, of)
    this.#letGo()
  }

  #see(stamp: string, journal: number): void {
    const before = this.#stamps.get(stamp)
    if (before?.seen === journal) return
    this.#stamps.delete(stamp)
    this.#stamps.set(stamp, { since: before?.since ?? journal, seen: journal })
  }

  #writeOf(stamp: string, lines: readonly BookLine[]): void {
    const kept = this.#stamps.get(stamp)
    if (kept === undefined) throw new Error(`the books of stamp ${stamp} were written before it was seen`)
    this.#sql.see.run({ stamp, ...kept })
    for (const line of summed(lines)) {
      if (this.#sql.add.run({ stamp, ...line }).changes > 0) continue
      this.#sql.begin.run({ stamp, ...line })
      this.#rows += 1
    }
  }

  /** Those that were seen longest ago go, but never the last one. */
  #letGo(): void {
    for (const stamp of this.#stamps.keys()) {
      if (this.#stamps.size <= 1 || (this.#stamps.size <= MOST_STAMPS && this.#rows <= MOST_ROWS)) break
      this.#rows -= this.#sql.deleteBooks.run(stamp).changes
      this.#sql.deleteStamp.run(stamp)
      this.#stamps.delete(stamp)
    }
  }
}

const SQL = {
  see: `INSERT INTO stamps (stamp, journal, since) VALUES (@stamp, @seen, @since)
    ON CONFLICT DO UPDATE SET journal = excluded.journal WHERE journal <> excluded.journal`,
  add: `UPDATE stamp_ledger_totals SET quantity = quantity + @quantity, items = items + @items
    WHERE stamp = @stamp AND category = @category AND entry = @entry AND reason = @reason`,
  begin: `INSERT INTO stamp_ledger_totals (stamp, category, entry, reason, quantity, items)
    VALUES (@stamp, @category, @entry, @reason, @quantity, @items)`,
  deleteBooks: 'DELETE FROM stamp_ledger_totals WHERE stamp = ?',
  deleteStamp: 'DELETE FROM stamps WHERE stamp = ?',
} as const
