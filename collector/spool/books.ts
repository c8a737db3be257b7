import type { Database, Statement } from 'better-sqlite3'
import { DATA_CATEGORIES, type Quantity } from '../../lib/protocol/data-category'
import { DISCARD_REASONS, type Outcome } from '../../lib/protocol/outcome'
import { type BookedRecord, type BookLine, DISCARDED, PENDING, summed } from './book-lines'
import { StampBooks } from './stamp-books'
import { type Discard, EVERY_ITEM } from './submission'

/** Categories with a book of their own; what a sender makes up beyond them is counted together. */
export const MOST_CATEGORIES = 200
/** Reasons for which SDKs discard, likewise. */
export const MOST_REASONS = 200
export const OTHER = 'other'
/**
 * The books' one writer. An item is received and settled under one name for ever: the name is chosen when it is
 * received, and kept with its record. Lines are gathered and written once at the end of their transaction, each entry
 * summed: a batch of envelopes writes as many rows as one does.
 */
export class Books {
  readonly #enter: Statement
  readonly #stamps: StampBooks
  readonly #names: Set<string>
  readonly #reasons: Set<string>
  #lines: (BookLine & BookedRecord)[] = []

  constructor(db: Database) {
    this.#enter = db.prepare(
      `INSERT INTO ledger_totals (category, entry, reason, quantity, items) VALUES (@category, @entry, @reason, @quantity, @items)
       ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity, items = items + excluded.items`,
    )
    this.#stamps = new StampBooks(db)
    const known = db.prepare('SELECT DISTINCT category FROM ledger_totals').pluck().all() as string[]
    this.#names = new Set([...DATA_CATEGORIES, ...known])
    const reasons = db
      .prepare('SELECT DISTINCT reason FROM ledger_totals WHERE entry = ?')
      .pluck()
      .all(DISCARDED) as string[]
    this.#reasons = new Set([...DISCARD_REASONS, ...reasons])
  }

  /** What an item is counted under. */
  named({ category, quantity }: Quantity): Quantity {
    return { category: oneOf(this.#names, category, MOST_CATEGORIES), quantity }
  }

  received(record: BookedRecord, quantities: readonly Quantity[]): void {
    for (const { category, quantity } of quantities) {
      this.#add(record, { category, entry: 'received', reason: '', quantity, items: 1 })
      this.#add(record, { category, entry: PENDING, reason: '', quantity, items: 1 })
    }
  }

  /** What SDKs say that they discarded: it has no items here. */
  discarded(record: BookedRecord, discards: readonly Discard[]): void {
    for (const discard of discards) {
      const { category, quantity } = this.named(discard)
      const reason = oneOf(this.#reasons, discard.reason, MOST_REASONS)
      this.#add(record, { category, entry: DISCARDED, reason, quantity, items: 0 })
    }
  }

  /** @param item index, or `EVERY_ITEM`. */
  settled(
    record: BookedRecord,
    quantities: readonly Quantity[],
    decided: { readonly item: number; readonly outcome: Outcome; readonly reason: string | null },
  ): void {
    const { item, outcome, reason } = decided
    const settled = item === EVERY_ITEM ? quantities : quantities.slice(item, item + 1)
    for (const { category, quantity } of settled) {
      this.#add(record, { category, entry: PENDING, reason: '', quantity: -quantity, items: -1 })
      this.#add(record, { category, entry: outcome, reason: reason ?? '', quantity, items: 1 })
    }
  }

  /** Lines that were gathered since `write`. */
  get length(): number {
    return this.#lines.length
  }

  /** Forgets what a savepoint that was rolled back had gathered. */
  cutTo(length: number): void {
    this.#lines.length = length
  }

  /** Within the transaction: writes what was gathered. */
  write(): void {
    if (this.#lines.length === 0) return
    const lines = this.#lines
    this.#lines = []
    for (const line of summed(lines)) this.#enter.run(line)
    this.#stamps.write(lines)
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.#lines = []
    this.#stamps.reload()
  }

  #add({ journal, stamp }: BookedRecord, line: BookLine): void {
    this.#lines.push({ ...line, journal, stamp })
  }
}

/** The word itself while there is room for one more, else `other`. */
function oneOf(known: Set<string>, word: string, most: number): string {
  if (known.has(word)) return word
  if (known.size >= most) return OTHER
  known.add(word)
  return word
}
