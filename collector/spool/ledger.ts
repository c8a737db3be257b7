import type { Database, Statement } from 'better-sqlite3'
import type { Quantity } from '../../lib/protocol/data-category'
import type { Outcome } from '../../lib/protocol/outcome'
import type { BookedRecord } from './book-lines'
import type { Books } from './books'
import type { Journal } from './journal'
import { prepareAll } from './prepare'
import type { Room } from './room'
import { type Decision, EVERY_ITEM } from './submission'

/** One post that is pending. */
export interface PendingRecord {
  readonly seq: number
  readonly publicKey: string
  readonly project: string
  /** Running time when it became pending, ms. */
  readonly ranAt: number
  /** As stored. */
  readonly bytes: number
}

/** A record as it is decided about. */
export interface DecidedRecord extends BookedRecord {
  readonly seq: number
  /** Under the names they were received by. */
  readonly quantities: readonly Quantity[]
}

/** What is written about one record, beside the record itself: what it owes, and what became of it. */
export class Ledger {
  readonly #room: Room
  readonly #books: Books
  readonly #journal: Journal
  readonly #now: () => number
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>
  /** Every record up to this one was pending, or a dead letter, when it was last looked at. */
  pendingUpTo = 0
  /** Per upstream, as many as are configured: what became pending last, by this process. */
  readonly #lastPending = new Map<string, number>()

  constructor(
    db: Database,
    parts: { readonly room: Room; readonly books: Books; readonly journal: Journal; readonly now: () => number },
  ) {
    this.#room = parts.room
    this.#books = parts.books
    this.#journal = parts.journal
    this.#now = parts.now
    this.#sql = prepareAll(db, SQL)
  }

  /** @returns the record that became pending to the same upstream before it; of the first, any that there may have been. */
  owe(pending: PendingRecord): number {
    this.oweAgain(pending)
    const upstream = `${pending.publicKey} ${pending.project}`
    const before = this.#lastPending.get(upstream) ?? pending.seq - 1
    this.#lastPending.set(upstream, pending.seq)
    return before
  }

  /** One whose turn has passed: whoever goes by the order of what becomes pending is told of it otherwise. */
  oweAgain(pending: PendingRecord): void {
    this.#sql.owe.run(pending)
    this.#room.pending(pending.bytes)
  }

  /** Nothing is pending of it any more. @returns what was; `null` where nothing was. */
  release(seq: number): PendingRecord | null {
    const pending = this.#sql.release.get(seq) as PendingRecord | undefined
    if (pending === undefined) return null
    this.#room.settled(pending.bytes)
    return pending
  }

  /**
   * An outcome is set once. @param known the record, where it was read already.
   * @returns what was pending; `null`, and does nothing, where nothing is pending any more.
   */
  settle(seq: number, decision: NonNullable<Decision>, known?: DecidedRecord): PendingRecord | null {
    const pending = this.release(seq)
    if (pending !== null) this.decide(known ?? this.#read(seq), decision)
    return pending
  }

  /** Writes the outcomes of a record that is neither pending nor a dead letter. @throws when an item is left without one. */
  decide(record: DecidedRecord, decision: NonNullable<Decision>): void {
    const { seq, quantities } = record
    if (!isWhole(decision, quantities.length))
      throw new TypeError(`what is decided of ${seq} is not one outcome for each of its ${quantities.length} items`)
    const at = this.#now()
    for (const decided of decision) {
      this.#sql.decide.run(seq, decided.item, decided.outcome, decided.reason, at)
      this.#books.settled(record, quantities, decided)
    }
    this.pendingUpTo = Math.min(this.pendingUpTo, seq - 1)
    this.#journal.add('decided', seq)
  }

  /** One outcome for every item of a record that is neither pending nor a dead letter. */
  decideAll(seq: number, outcome: Outcome, reason: string): void {
    this.decide(this.#read(seq), [{ item: EVERY_ITEM, outcome, reason }])
  }

  /** One outcome for every item of what is pending. */
  settleAll(seq: number, outcome: Outcome, reason: string): boolean {
    return this.settle(seq, [{ item: EVERY_ITEM, outcome, reason }]) !== null
  }

  /** @returns `null` where there is no such record any more. */
  find(seq: number): DecidedRecord | null {
    const row = this.#sql.read.get(seq) as (BookedRecord & { readonly quantities: string }) | undefined
    if (row === undefined) return null
    const quantities = JSON.parse(row.quantities) as [string, number][]
    return { ...row, seq, quantities: quantities.map(([category, quantity]) => ({ category, quantity })) }
  }

  #read(seq: number): DecidedRecord {
    const found = this.find(seq)
    if (found === null) throw new Error(`there is no record ${seq} to decide about`)
    return found
  }
}

/** One outcome for all, or one for each. */
function isWhole(decision: NonNullable<Decision>, items: number): boolean {
  if (decision.length === 1 && decision[0]?.item === EVERY_ITEM) return true
  const decided = new Set(decision.map(({ item }) => item))
  return decided.size === decision.length && decided.size === items && [...decided].every((n) => n >= 0 && n < items)
}

const SQL = {
  owe: 'INSERT INTO pending_deliveries (seq, public_key, project, ran_at, stored_bytes) VALUES (@seq, @publicKey, @project, @ranAt, @bytes)',
  release: `DELETE FROM pending_deliveries WHERE seq = ?
    RETURNING seq, public_key AS publicKey, project, ran_at AS ranAt, stored_bytes AS bytes`,
  read: 'SELECT journal, stamp, quantities FROM submissions WHERE seq = ?',
  decide: 'INSERT INTO outcomes (seq, item, outcome, reason, at) VALUES (?, ?, ?, ?, ?)',
} as const
