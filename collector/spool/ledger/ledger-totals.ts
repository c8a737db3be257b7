import type { Database, Statement } from 'better-sqlite3'
import type { Quantity } from '../../../lib/protocol/data-category'
import type { Outcome } from '../../../lib/protocol/outcome'
import type { Discard } from '../../../lib/protocol/submission'
import { prepareAll } from '../../runtime/database'
import {
  DISCARDED,
  type LedgerEntry,
  LedgerNames,
  receivedEntries,
  settledEntries,
  sumEntries,
  unseenEntries,
} from './ledger-entries'

/** Stamps whose totals are kept: those seen last. */
export const MAX_STAMPS = 1000
/** Rows of all stamps together: names that senders make up could fill many. */
export const MAX_STAMP_ROWS = 100_000

export interface RecordRef {
  /** Number of its `received` fact. */
  readonly journal: number
  readonly stamp: string | null
}

/**
 * Entries are gathered during a transaction and written at its end, summed per row: a batch of envelopes writes as many
 * rows as one. An item is settled under the category name that was chosen on receipt and stored with the record.
 */
export class LedgerTotals {
  readonly #add: Statement
  readonly #all: Statement
  readonly #stamps: StampLedgerTotals
  readonly #names: LedgerNames
  #entries: (LedgerEntry & RecordRef)[] = []

  constructor(db: Database) {
    this.#add = db.prepare(
      `INSERT INTO ledger_totals (category, entry, reason, quantity, items) VALUES (@category, @entry, @reason, @quantity, @items)
       ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity, items = items + excluded.items`,
    )
    this.#all = db.prepare('SELECT category, entry, reason, quantity, items FROM ledger_totals')
    this.#stamps = new StampLedgerTotals(db)
    const categories = db.prepare('SELECT DISTINCT category FROM ledger_totals').pluck().all() as string[]
    const reasons = db
      .prepare('SELECT DISTINCT reason FROM ledger_totals WHERE entry = ?')
      .pluck()
      .all(DISCARDED) as string[]
    this.#names = new LedgerNames({ categories, reasons })
  }

  /** The category under which an item is counted: its own, or `other`. */
  limitName(quantity: Quantity): Quantity {
    return this.#names.limit(quantity)
  }

  addReceived(record: RecordRef, quantities: readonly Quantity[]): void {
    for (const quantity of quantities) for (const entry of receivedEntries(quantity)) this.#gather(record, entry)
  }

  /** Discards that SDKs reported; they have no items here. */
  addDiscarded(record: RecordRef, discards: readonly Discard[]): void {
    for (const discard of discards) this.#gather(record, this.#names.discarded(discard))
  }

  /** These items arrived, although an SDK counts them as lost. */
  addUnseen(record: RecordRef, quantity: Quantity): void {
    for (const entry of unseenEntries(quantity)) this.#gather(record, entry)
  }

  /** @param decided.item item index, or `EVERY_ITEM`. */
  addSettled(
    record: RecordRef,
    quantities: readonly Quantity[],
    decided: { readonly item: number; readonly outcome: Outcome; readonly reason: string | null },
  ): void {
    for (const entry of settledEntries(quantities, decided)) this.#gather(record, entry)
  }

  /** Adds entries that another record has counted, under the names that it chose. */
  addGiven(entries: readonly (LedgerEntry & RecordRef)[]): void {
    for (const entry of entries) this.#gather(entry, entry)
  }

  /** Replaces all totals by those of another record. The totals of stamps stay. Call it before other changes. */
  replaceGiven(totals: readonly LedgerEntry[]): void {
    const nobody = { journal: 0, stamp: null }
    for (const { quantity, items, ...row } of this.#all.all() as readonly LedgerEntry[])
      this.#gather(nobody, { ...row, quantity: -quantity, items: -items })
    for (const entry of totals) this.#gather(nobody, entry)
  }

  get length(): number {
    return this.#entries.length
  }

  /** Forgets the entries of a savepoint that was rolled back. */
  truncate(length: number): void {
    this.#entries.length = length
  }

  /** Writes the gathered entries, at the end of the transaction. @returns them, summed per row of the totals */
  write(): readonly LedgerEntry[] {
    if (this.#entries.length === 0) return []
    const entries = this.#entries
    this.#entries = []
    const sums = sumEntries(entries)
    for (const entry of sums) this.#add.run(entry)
    this.#stamps.write(entries)
    return sums
  }

  rollBack(): void {
    this.#entries = []
    this.#stamps.reload()
  }

  #gather({ journal, stamp }: RecordRef, { category, entry, reason, quantity, items }: LedgerEntry): void {
    this.#entries.push({ category, entry, reason, quantity, items, journal, stamp })
  }
}

interface KeptStamp {
  /** Its totals count records received from this journal number on. */
  readonly since: number
  /** Journal number of the record that was received last. */
  readonly seen: number
}

/** A stamp that was dropped and comes again starts at zero: outcomes of its earlier records are not counted. */
class StampLedgerTotals {
  readonly #db: Database
  readonly #sql: Readonly<Record<keyof typeof STAMP_SQL, Statement>>
  /** In the order in which they were seen last. */
  #stamps = new Map<string, KeptStamp>()
  #rows = 0

  constructor(db: Database) {
    this.#db = db
    this.#sql = prepareAll(db, STAMP_SQL)
    this.reload()
  }

  /** Reads the stamps from the database: at the start, and after a transaction was rolled back. */
  reload(): void {
    const kept = this.#db.prepare('SELECT stamp, since, journal AS seen FROM stamps ORDER BY journal').all()
    this.#stamps = new Map(
      (kept as (KeptStamp & { readonly stamp: string })[]).map(({ stamp, ...one }) => [stamp, one]),
    )
    this.#rows = Number(this.#db.prepare('SELECT count(*) FROM stamp_ledger_totals').pluck().get())
  }

  write(entries: readonly (LedgerEntry & RecordRef)[]): void {
    const byStamp = new Map<string, LedgerEntry[]>()
    for (const entry of entries) {
      if (entry.stamp === null) continue
      // A discard is taken back with the number of an older record.
      if (entry.entry === 'received' || (entry.entry === DISCARDED && entry.quantity > 0))
        this.#see(entry.stamp, entry.journal)
      const since = this.#stamps.get(entry.stamp)?.since ?? Number.POSITIVE_INFINITY
      if (entry.journal < since) continue
      const ofStamp = byStamp.get(entry.stamp) ?? []
      byStamp.set(entry.stamp, ofStamp)
      ofStamp.push(entry)
    }
    for (const [stamp, ofStamp] of byStamp) this.#writeStamp(stamp, ofStamp)
    this.#dropOldest()
  }

  #see(stamp: string, journal: number): void {
    const before = this.#stamps.get(stamp)
    if (before?.seen === journal) return
    this.#stamps.delete(stamp)
    this.#stamps.set(stamp, { since: before?.since ?? journal, seen: journal })
  }

  #writeStamp(stamp: string, entries: readonly LedgerEntry[]): void {
    const kept = this.#stamps.get(stamp)
    if (kept === undefined) throw new Error(`totals of stamp ${stamp} are written before a record with it was received`)
    this.#sql.upsertStamp.run({ stamp, ...kept })
    for (const entry of sumEntries(entries)) {
      if (this.#sql.add.run({ stamp, ...entry }).changes > 0) continue
      this.#sql.insert.run({ stamp, ...entry })
      this.#rows += 1
    }
  }

  /** Drops the stamps that were seen longest ago, but never the last one. */
  #dropOldest(): void {
    for (const stamp of this.#stamps.keys()) {
      if (this.#stamps.size <= 1 || (this.#stamps.size <= MAX_STAMPS && this.#rows <= MAX_STAMP_ROWS)) break
      this.#rows -= this.#sql.deleteTotals.run(stamp).changes
      this.#sql.deleteStamp.run(stamp)
      this.#stamps.delete(stamp)
    }
  }
}

const STAMP_SQL = {
  upsertStamp: `INSERT INTO stamps (stamp, journal, since) VALUES (@stamp, @seen, @since)
    ON CONFLICT DO UPDATE SET journal = excluded.journal WHERE journal <> excluded.journal`,
  add: `UPDATE stamp_ledger_totals SET quantity = quantity + @quantity, items = items + @items
    WHERE stamp = @stamp AND category = @category AND entry = @entry AND reason = @reason`,
  insert: `INSERT INTO stamp_ledger_totals (stamp, category, entry, reason, quantity, items)
    VALUES (@stamp, @category, @entry, @reason, @quantity, @items)`,
  deleteTotals: 'DELETE FROM stamp_ledger_totals WHERE stamp = ?',
  deleteStamp: 'DELETE FROM stamps WHERE stamp = ?',
} as const
