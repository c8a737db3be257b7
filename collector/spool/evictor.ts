import type { Database, Statement } from 'better-sqlite3'
import type { Counters } from './counters'
import type { DeadLetters } from './dead-letters'
import type { Journal } from './journal'
import type { Ledger } from './ledger'
import { prepareAll } from './prepare'
import type { Room } from './room'
import { ROWS_FROM } from './submission'

/** Small, so that whoever waits for an answer never waits for a large deletion. */
const BATCH_RECORDS = 200
const BATCH_BYTES = 4 * 1024 * 1024
/** What is undelivered for so long, of running time, may go when there is no other room. */
export const EXPIRES_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Takes records out of the spool, and finds those that may go: oldest first in each class. It never touches the books,
 * but to write the outcome of what expires or is dropped. Methods run inside a transaction of the writer.
 */
export class Evictor {
  readonly #ledger: Ledger
  readonly #dead: DeadLetters
  readonly #room: Room
  readonly #counters: Counters
  readonly #journal: Journal
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(
    db: Database,
    parts: {
      readonly ledger: Ledger
      readonly dead: DeadLetters
      readonly room: Room
      readonly counters: Counters
      readonly journal: Journal
    },
  ) {
    this.#ledger = parts.ledger
    this.#dead = parts.dead
    this.#room = parts.room
    this.#counters = parts.counters
    this.#journal = parts.journal
    this.#sql = prepareAll(db, SQL)
  }

  /**
   * The next records that owe nothing, up to a number.
   * @param bytes as many as free so much, if the batch may be as large.
   */
  owingNothing(upTo: number, bytes: number = BATCH_BYTES): readonly number[] {
    const last = Math.min(upTo, Number(this.#sql.lastSeq.pluck().get() ?? 0))
    const rows = this.#sql.owingNothing.iterate(this.#ledger.pendingUpTo, last) as IterableIterator<Sized>
    const found = batchOf(rows, bytes)
    this.#ledger.pendingUpTo = Math.max(this.#ledger.pendingUpTo, (found[0] ?? last + 1) - 1)
    return found
  }

  /** The next records whose rows were not evicted. */
  withRows(upTo: number, bytes: number = BATCH_BYTES): readonly number[] {
    return batchOf(this.#sql.withRows.iterate(this.#rowsFrom(), upTo) as IterableIterator<Sized>, bytes)
  }

  /** The next dead letters. */
  deadLetters(upTo: number, bytes: number = BATCH_BYTES): readonly number[] {
    return batchOf(this.#sql.deadLetters.iterate(upTo) as IterableIterator<Sized>, bytes)
  }

  /** The next pending records that are older than a day of running time. */
  pastDue(ran: number, upTo: number): readonly number[] {
    const due: number[] = []
    // Running time grows with the number: the first that is not due ends the search.
    for (const { seq, ranAt } of this.#sql.pending.iterate(upTo) as IterableIterator<{ seq: number; ranAt: number }>) {
      if (ranAt > ran - EXPIRES_AFTER_MS || due.push(seq) >= BATCH_RECORDS) break
    }
    return due
  }

  /** The next pending records, whatever their age. */
  pending(upTo: number): readonly number[] {
    return this.pastDue(Number.POSITIVE_INFINITY, upTo)
  }

  /** Deletes records that owe nothing; their rows are gone already. */
  evict(seqs: readonly number[]): void {
    let bytes = 0
    let records = 0
    for (const seq of seqs) {
      const freed = this.#remove(seq)
      if (freed === null) continue
      records += 1
      bytes += freed
    }
    this.#counters.add('evicted_records', records)
    this.#counters.add('evicted_bytes', bytes)
    this.#tell(seqs)
  }

  /** Pending records end as `expired`, and go. */
  expire(seqs: readonly number[]): void {
    for (const seq of seqs) {
      if (!this.#ledger.settleAll(seq, 'expired', 'undelivered_for_24_h')) continue
      this.#counters.add('expired', 1)
      this.#remove(seq)
    }
    this.#tell(seqs)
  }

  /** Dead letters end as `invalid`, and go. */
  giveUp(seqs: readonly number[]): void {
    for (const seq of seqs) {
      if (!this.#dead.giveUp(seq)) continue
      this.#counters.add('evicted_dead', 1)
      this.#remove(seq)
    }
    this.#tell(seqs)
  }

  /** The rows of every record up to the last of these were evicted; the records stay. */
  rowsEvicted(seqs: readonly number[]): void {
    const last = seqs.at(-1)
    if (last === undefined) return
    this.#sql.setRowsFrom.run(String(last))
    this.#counters.add('rows_only', seqs.length)
    this.#tell(seqs)
  }

  /** A person clears: what is still pending or a dead letter ends as `dropped`. It is no eviction, and is not counted as one. */
  clear(seqs: readonly number[]): void {
    for (const seq of seqs) {
      if (!this.#ledger.settleAll(seq, 'dropped', 'cleared')) this.#dead.end(seq, 'dropped', 'cleared')
      this.#remove(seq)
    }
  }

  /** The last word of a clearing. */
  cleared(): void {
    this.#journal.add('cleared', null)
  }

  #rowsFrom(): number {
    return Number(this.#sql.rowsFrom.pluck().get() ?? 0)
  }

  #tell(seqs: readonly number[]): void {
    const last = seqs.at(-1)
    if (last !== undefined) this.#journal.add('evicted', last)
  }

  /** @returns the bytes of its body as stored; `null` when it is pending, a dead letter, or gone already. */
  #remove(seq: number): number | null {
    const found = this.#sql.deleteSubmission.get(seq) as
      | { readonly bytes: number; readonly endpoint: string }
      | undefined
    if (found === undefined) return null
    if (found.endpoint === 'stream') this.#counters.add('copies', -1)
    this.#sql.deleteOutcomes.run(seq)
    this.#sql.deleteDeliveries.run(seq)
    this.#room.gone()
    return found.bytes
  }
}

interface Sized {
  readonly seq: number
  readonly bytes: number
}

function batchOf(rows: Iterable<Sized>, wanted: number): readonly number[] {
  const seqs: number[] = []
  let bytes = 0
  for (const row of rows) {
    seqs.push(row.seq)
    bytes += row.bytes
    if (seqs.length >= BATCH_RECORDS || bytes >= Math.min(wanted, BATCH_BYTES)) break
  }
  return seqs
}

const IS_SETTLED = `NOT EXISTS (SELECT 1 FROM pending_deliveries WHERE pending_deliveries.seq = submissions.seq)
    AND NOT EXISTS (SELECT 1 FROM dead_letters d WHERE d.seq = submissions.seq)`

const SQL = {
  lastSeq: 'SELECT max(seq) FROM submissions',
  owingNothing: `SELECT seq, length(body) AS bytes FROM submissions WHERE seq > ? AND seq <= ?
    AND ${IS_SETTLED} ORDER BY seq`,
  withRows: 'SELECT seq, length(body) AS bytes FROM submissions WHERE seq > ? AND seq <= ? ORDER BY seq',
  pending: 'SELECT seq, ran_at AS ranAt FROM pending_deliveries WHERE seq <= ? ORDER BY seq',
  deadLetters: 'SELECT seq, stored_bytes AS bytes FROM dead_letters WHERE seq <= ? ORDER BY seq',
  deleteSubmission: `DELETE FROM submissions WHERE seq = ? AND ${IS_SETTLED}
    RETURNING length(body) AS bytes, endpoint`,
  deleteOutcomes: 'DELETE FROM outcomes WHERE seq = ?',
  deleteDeliveries: 'DELETE FROM deliveries WHERE seq = ?',
  rowsFrom: `SELECT value FROM settings WHERE name = '${ROWS_FROM}'`,
  setRowsFrom: `INSERT INTO settings (name, value) VALUES ('${ROWS_FROM}', ?)
    ON CONFLICT DO UPDATE SET value = excluded.value`,
} as const
