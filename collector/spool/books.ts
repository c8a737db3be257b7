import type { Database, Statement } from 'better-sqlite3'
import { DATA_CATEGORIES, type Quantity } from '../../lib/protocol/data-category'
import type { Outcome } from '../../lib/protocol/outcome'
import { EVERY_ITEM } from './submission'

/** Categories with a book of their own; what a sender makes up beyond them is counted together. */
export const MOST_CATEGORIES = 200
export const OTHER = 'other'
/** Received and not decided yet: written when it becomes and when it ceases to be, so that the others can be checked by it. */
export const PENDING = 'pending'

/**
 * The books' one writer. An item is received and settled under one name for ever: the name is chosen when it is
 * received, and kept with its record.
 */
export class Books {
  readonly #enter: Statement
  readonly #names: Set<string>

  constructor(db: Database) {
    this.#enter = db.prepare(
      `INSERT INTO books (category, entry, reason, quantity, items) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity, items = items + excluded.items`,
    )
    const known = db.prepare('SELECT DISTINCT category FROM books').pluck().all() as string[]
    this.#names = new Set([...DATA_CATEGORIES, ...known])
  }

  /** What an item is counted under. */
  named({ category, quantity }: Quantity): Quantity {
    if (this.#names.has(category)) return { category, quantity }
    if (this.#names.size >= MOST_CATEGORIES) return { category: OTHER, quantity }
    this.#names.add(category)
    return { category, quantity }
  }

  received(quantities: readonly Quantity[]): void {
    for (const { category, quantity } of quantities) {
      this.#enter.run(category, 'received', '', quantity, 1)
      this.#enter.run(category, PENDING, '', quantity, 1)
    }
  }

  /** @param item index, or `EVERY_ITEM`. */
  settled(quantities: readonly Quantity[], item: number, outcome: Outcome, reason: string | null): void {
    const settled = item === EVERY_ITEM ? quantities : quantities.slice(item, item + 1)
    for (const { category, quantity } of settled) {
      this.#enter.run(category, PENDING, '', -quantity, -1)
      this.#enter.run(category, outcome, reason ?? '', quantity, 1)
    }
  }
}
