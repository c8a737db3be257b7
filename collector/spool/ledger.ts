import type { Database, Statement } from 'better-sqlite3'
import type { Quantity } from '../../lib/protocol/data-category'
import type { Books } from './books'
import type { Journal } from './journal'
import type { Room } from './room'
import { type Decision, EVERY_ITEM } from './submission'

/** What is written about one record, beside the record itself: what it owes, and what became of it. */
export class Ledger {
  readonly #room: Room
  readonly #books: Books
  readonly #journal: Journal
  readonly #now: () => number
  readonly #insertOwed: Statement
  readonly #deleteOwed: Statement
  readonly #quantities: Statement
  readonly #insertOutcome: Statement
  /** Every record up to this one was owed when it was last looked at. */
  owedUpTo = 0
  /** Per upstream, as many as are configured: what became owed last, by this process. */
  readonly #lastOwed = new Map<string, number>()

  constructor(
    db: Database,
    parts: { readonly room: Room; readonly books: Books; readonly journal: Journal; readonly now: () => number },
  ) {
    this.#room = parts.room
    this.#books = parts.books
    this.#journal = parts.journal
    this.#now = parts.now
    this.#insertOwed = db.prepare(
      'INSERT INTO owed (seq, public_key, project, ran_at, stored_bytes) VALUES (@seq, @publicKey, @project, @ranAt, @bytes)',
    )
    this.#deleteOwed = db.prepare('DELETE FROM owed WHERE seq = ? RETURNING stored_bytes').pluck()
    this.#quantities = db.prepare('SELECT quantities FROM submissions WHERE seq = ?').pluck()
    this.#insertOutcome = db.prepare('INSERT INTO outcomes (seq, item, outcome, reason, at) VALUES (?, ?, ?, ?, ?)')
  }

  /** @returns the record that became owed to the same upstream before it; of the first, any that there may have been. */
  owe(owed: {
    readonly seq: number
    readonly publicKey: string
    readonly project: string
    readonly ranAt: number
    readonly bytes: number
  }): number {
    this.#insertOwed.run(owed)
    this.#room.owed(owed.bytes)
    const upstream = `${owed.publicKey} ${owed.project}`
    const before = this.#lastOwed.get(upstream) ?? owed.seq - 1
    this.#lastOwed.set(upstream, owed.seq)
    return before
  }

  /** An outcome is set once: @returns false, and does nothing, where nothing is owed any more. */
  settle(seq: number, decision: NonNullable<Decision>): boolean {
    const bytes: unknown = this.#deleteOwed.get(seq)
    if (bytes === undefined) return false
    this.#room.settled(Number(bytes))
    this.owedUpTo = Math.min(this.owedUpTo, seq - 1)
    const kept = JSON.parse(String(this.#quantities.get(seq))) as [string, number][]
    this.decide(
      seq,
      kept.map(([category, quantity]) => ({ category, quantity })),
      decision,
    )
    return true
  }

  /** Writes the outcomes of a record that owes nothing. */
  decide(seq: number, quantities: readonly Quantity[], decision: NonNullable<Decision>): void {
    const at = this.#now()
    for (const { item, outcome, reason } of decision) {
      this.#insertOutcome.run(seq, item, outcome, reason, at)
      this.#books.settled(quantities, item, outcome, reason)
    }
    this.#journal.add('decided', seq)
  }

  /** One outcome for every item. */
  settleAll(seq: number, outcome: 'expired' | 'dropped', reason: string): boolean {
    return this.settle(seq, [{ item: EVERY_ITEM, outcome, reason }])
  }
}
