import type { Database, Statement } from 'better-sqlite3'
import { DATA_CATEGORIES, type Quantity } from '../../../lib/protocol/data-category'
import type { Outcome } from '../../../lib/protocol/outcome'
import { ANSWER_UNSEEN, DISCARD_REASONS, NETWORK_ERROR } from '../../../lib/protocol/outcome'
import type { Discard } from '../../../lib/protocol/submission'
import { prepareAll } from '../../runtime/database'
import { EVERY_ITEM } from '../submission'

/** Categories with totals of their own. Names that senders make up beyond them are counted together as `other`. */
export const MAX_CATEGORIES = 200
export const MAX_REASONS = 200
export const OTHER_NAME = 'other'
/** Stamps whose totals are kept: those seen last. */
export const MAX_STAMPS = 1000
/** Rows of all stamps together: names that senders make up could fill many. */
export const MAX_STAMP_ROWS = 100_000

/** Received and not decided yet: added on receipt, subtracted with the outcome, so that outcomes can be checked against it. */
const PENDING = 'pending'
/** Discarded by SDKs, from their client reports. */
const DISCARDED = 'client_discard'

export interface RecordRef {
  /** Number of its `received` fact. */
  readonly journal: number
  readonly stamp: string | null
}

/** A change of the totals of one category. */
export interface LedgerEntry {
  readonly category: string
  readonly entry: 'received' | typeof PENDING | typeof DISCARDED | typeof ANSWER_UNSEEN | Outcome
  /** Empty if the entry has no reasons. */
  readonly reason: string
  readonly quantity: number
  readonly items: number
}

/**
 * Entries are gathered during a transaction and written at its end, summed per row: a batch of envelopes writes as many
 * rows as one. An item is settled under the category name that was chosen on receipt and stored with the record.
 */
export class LedgerTotals {
  readonly #add: Statement
  readonly #stamps: StampLedgerTotals
  readonly #categories: Set<string>
  readonly #reasons: Set<string>
  #entries: (LedgerEntry & RecordRef)[] = []

  constructor(db: Database) {
    this.#add = db.prepare(
      `INSERT INTO ledger_totals (category, entry, reason, quantity, items) VALUES (@category, @entry, @reason, @quantity, @items)
       ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity, items = items + excluded.items`,
    )
    this.#stamps = new StampLedgerTotals(db)
    const categories = db.prepare('SELECT DISTINCT category FROM ledger_totals').pluck().all() as string[]
    this.#categories = new Set([...DATA_CATEGORIES, ...categories])
    const reasons = db
      .prepare('SELECT DISTINCT reason FROM ledger_totals WHERE entry = ?')
      .pluck()
      .all(DISCARDED) as string[]
    this.#reasons = new Set([...DISCARD_REASONS, ...reasons])
  }

  /** The category under which an item is counted: its own, or `other`. */
  limitName({ category, quantity }: Quantity): Quantity {
    return { category: nameOrOther(this.#categories, category, MAX_CATEGORIES), quantity }
  }

  addReceived(record: RecordRef, quantities: readonly Quantity[]): void {
    for (const { category, quantity } of quantities) {
      this.#gather(record, { category, entry: 'received', reason: '', quantity, items: 1 })
      this.#gather(record, { category, entry: PENDING, reason: '', quantity, items: 1 })
    }
  }

  /** Discards that SDKs reported; they have no items here. */
  addDiscarded(record: RecordRef, discards: readonly Discard[]): void {
    for (const discard of discards) {
      const { category, quantity } = this.limitName(discard)
      const reason = nameOrOther(this.#reasons, discard.reason, MAX_REASONS)
      this.#gather(record, { category, entry: DISCARDED, reason, quantity, items: 0 })
    }
  }

  /** Moves discards that an SDK reported as `network_error`: these items arrived, and only the answer was not seen. */
  addUnseen(record: RecordRef, { category, quantity }: Quantity): void {
    this.#gather(record, { category, entry: DISCARDED, reason: NETWORK_ERROR, quantity: -quantity, items: 0 })
    this.#gather(record, { category, entry: ANSWER_UNSEEN, reason: '', quantity, items: 0 })
  }

  /** @param decided.item item index, or `EVERY_ITEM`. */
  addSettled(
    record: RecordRef,
    quantities: readonly Quantity[],
    decided: { readonly item: number; readonly outcome: Outcome; readonly reason: string | null },
  ): void {
    const { item, outcome, reason } = decided
    const settled = item === EVERY_ITEM ? quantities : quantities.slice(item, item + 1)
    for (const { category, quantity } of settled) {
      this.#gather(record, { category, entry: PENDING, reason: '', quantity: -quantity, items: -1 })
      this.#gather(record, { category, entry: outcome, reason: reason ?? '', quantity, items: 1 })
    }
  }

  /** Adds entries that another record has counted, under the names that it chose. */
  addGiven(entries: readonly (LedgerEntry & RecordRef)[]): void {
    for (const entry of entries) this.#gather(entry, entry)
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

function nameOrOther(known: Set<string>, name: string, max: number): string {
  if (known.has(name)) return name
  if (known.size >= max) return OTHER_NAME
  known.add(name)
  return name
}

/** One entry per row of the totals, without those that cancel out. */
function sumEntries(entries: Iterable<LedgerEntry>): readonly LedgerEntry[] {
  const sums = new Map<string, Map<string, LedgerEntry & { quantity: number; items: number }>>()
  for (const { category, entry, reason, quantity, items } of entries) {
    const ofCategory = sums.get(category) ?? new Map()
    sums.set(category, ofCategory)
    // Entry names have no space.
    const key = `${entry} ${reason}`
    const sum = ofCategory.get(key)
    if (sum === undefined) {
      ofCategory.set(key, { category, entry, reason, quantity, items })
    } else {
      sum.quantity += quantity
      sum.items += items
    }
  }
  return [...sums.values()].flatMap((ofCategory) =>
    [...ofCategory.values()].filter((entry) => entry.quantity !== 0 || entry.items !== 0),
  )
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
