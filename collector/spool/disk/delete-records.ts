import type { Database, Statement } from 'better-sqlite3'
import type { Storage } from '../../../lib/wire/storage'
import { prepareAll } from '../../runtime/database'
import type { Counters } from '../counters'
import type { FactSink } from '../journal'
import type { DeadLetters, Ledger } from '../ledger/ledger'
import { ROWS_FROM } from '../submission'
import type { DiskBudget } from './disk-budget'

/** Small, so that no caller waits for a large deletion. */
const BATCH_RECORDS = 200
const BATCH_BYTES = 4 * 1024 * 1024
/** After this much running time without delivery a pending record may be evicted, if nothing else can be; or after the maximum age, if that is longer. */
export const EXPIRES_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Finds the records that may be deleted, oldest first in each class, and deletes them. Ledger totals change only by the
 * outcomes of records that expire or are dropped.
 */
export class Evictor {
  readonly #ledger: Ledger
  readonly #deadLetters: DeadLetters
  readonly #budget: DiskBudget
  readonly #counters: Counters
  readonly #journal: FactSink
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(
    db: Database,
    parts: {
      readonly ledger: Ledger
      readonly deadLetters: DeadLetters
      readonly budget: DiskBudget
      readonly counters: Counters
      readonly journal: FactSink
    },
  ) {
    this.#ledger = parts.ledger
    this.#deadLetters = parts.deadLetters
    this.#budget = parts.budget
    this.#counters = parts.counters
    this.#journal = parts.journal
    this.#sql = prepareAll(db, SQL)
  }

  /** Neither pending nor dead letters. @param bytes stops when the batch frees this much. */
  settledRecords(upTo: number, bytes: number = BATCH_BYTES): readonly number[] {
    return batchOf(this.#settled(upTo), bytes)
  }

  /**
   * The next settled records that were received before a time. The first one that is not ends the search, because a record
   * with a time of long ago behind it was received later, while the clock was wrong. Times in the future are wrong as well.
   * @param before and @param now ms since the epoch
   */
  agedRecords(before: number, now: number): readonly number[] {
    const aged: number[] = []
    for (const { seq, receivedAt } of this.#settled(Number.POSITIVE_INFINITY)) {
      if (receivedAt > now) continue
      if (receivedAt >= before || aged.push(seq) >= BATCH_RECORDS) break
    }
    return aged
  }

  /** The next records whose rows are not evicted yet. */
  recordsWithRows(upTo: number, bytes: number = BATCH_BYTES): readonly number[] {
    return batchOf(this.#sql.withRows.iterate(this.#rowsFrom(), upTo) as IterableIterator<Sized>, bytes)
  }

  /** Copies that SDKs sent to the endpoint of Spotlight's sidecar. */
  copyRecords(upTo: number, bytes: number = BATCH_BYTES): readonly number[] {
    return batchOf(this.#sql.copies.iterate(upTo) as IterableIterator<Sized>, bytes)
  }

  deadLetterRecords(upTo: number, bytes: number = BATCH_BYTES): readonly number[] {
    return batchOf(this.#sql.deadLetters.iterate(upTo) as IterableIterator<Sized>, bytes)
  }

  /** The next pending records that are older. @param ran running time now, ms. @param afterMs of running time */
  expiredRecords(ran: number, upTo: number, afterMs: number = EXPIRES_AFTER_MS): readonly number[] {
    const expired: number[] = []
    // Running time grows with the number, so the first record that is not expired ends the search.
    for (const { seq, ranAt } of this.#sql.pending.iterate(upTo) as IterableIterator<{ seq: number; ranAt: number }>) {
      if (ranAt > ran - afterMs || expired.push(seq) >= BATCH_RECORDS) break
    }
    return expired
  }

  pendingRecords(upTo: number): readonly number[] {
    return this.expiredRecords(Number.POSITIVE_INFINITY, upTo)
  }

  /** The first record of the first class that has any, without deleting it. @param ran and @param afterMs as above */
  next(ran: number, afterMs: number): Storage['next'] {
    const all = Number.MAX_SAFE_INTEGER
    const firsts = [
      ['settled', () => this.settledRecords(all, 1)],
      ['rows', () => this.recordsWithRows(all, 1)],
      ['dead_letter', () => this.deadLetterRecords(all, 1)],
      ['expired', () => this.expiredRecords(ran, all, afterMs)],
    ] as const
    for (const [what, find] of firsts) {
      const [seq] = find()
      if (seq !== undefined) return { what, seq, receivedAt: Number(this.#sql.receivedAt.pluck().get(seq)) }
    }
    return null
  }

  /** Deletes settled records. Their rows must be deleted before. */
  evictSettled(seqs: readonly number[]): void {
    let bytes = 0
    let records = 0
    for (const seq of seqs) {
      const freed = this.#deleteRecord(seq)
      if (freed === null) continue
      records += 1
      bytes += freed
    }
    this.#counters.add('evicted_records', records)
    this.#counters.add('evicted_bytes', bytes)
    this.#noteEvicted(seqs)
  }

  /** Deletes settled records that are too old. They are counted apart: no verdict expected them to stay. */
  evictAged(seqs: readonly number[]): void {
    this.#counters.add('evicted_by_age', seqs.filter((seq) => this.#deleteRecord(seq) !== null).length)
    this.#noteEvicted(seqs)
  }

  /** Deletes copies. They are not counted as evicted, because no verdict depends on them. */
  evictCopies(seqs: readonly number[]): void {
    for (const seq of seqs) this.#deleteRecord(seq)
    this.#noteEvicted(seqs)
  }

  /** Ends pending records as `expired`, and deletes them. */
  evictExpired(seqs: readonly number[]): void {
    for (const seq of seqs) {
      if (!this.#ledger.decidePendingWhole(seq, 'expired', 'undelivered_for_24_h')) continue
      this.#counters.add('expired', 1)
      this.#deleteRecord(seq)
    }
    this.#noteEvicted(seqs)
  }

  /** Ends dead letters as `invalid`, and deletes them. */
  evictDeadLetters(seqs: readonly number[]): void {
    for (const seq of seqs) {
      if (!this.#deadLetters.endAsInvalid(seq)) continue
      this.#counters.add('evicted_dead', 1)
      this.#deleteRecord(seq)
    }
    this.#noteEvicted(seqs)
  }

  /** Deletes records whatever their status, without outcomes: the shared record still has them. Counted as evicted. */
  evictMirrored(seqs: readonly number[]): void {
    for (const seq of seqs) this.#forgetPending(seq)
    this.evictSettled(seqs)
  }

  /** Deletes records that the shared record has deleted. Not counted as eviction, and no fact. */
  deleteMirrored(seqs: readonly number[]): void {
    for (const seq of seqs) {
      this.#forgetPending(seq)
      this.#deleteRecord(seq)
    }
  }

  #forgetPending(seq: number): void {
    if (this.#ledger.removePending(seq) === null) this.#deadLetters.remove(seq)
  }

  /** Notes that the rows of every record up to the last of these are deleted; the records stay. */
  noteRowsEvicted(seqs: readonly number[]): void {
    const last = seqs.at(-1)
    if (last === undefined) return
    this.#sql.setRowsFrom.run(String(last))
    this.#counters.add('rows_only', seqs.length)
    this.#noteEvicted(seqs)
  }

  /**
   * For a person who clears, or a visitor who deletes: ends pending records and dead letters as `dropped`, and deletes. Not
   * counted as eviction. @returns how many were pending
   */
  clear(seqs: readonly number[], reason: 'cleared' | 'visitor' = 'cleared'): number {
    let dropped = 0
    for (const seq of seqs) {
      if (this.#ledger.decidePendingWhole(seq, 'dropped', reason) || this.#deadLetters.end(seq, 'dropped', reason))
        dropped += 1
      this.#deleteRecord(seq)
    }
    return dropped
  }

  noteCleared(): void {
    this.#journal.add('cleared', null)
  }

  /** Oldest first. Notes up to which record all are pending, so that the next search begins behind them. */
  *#settled(upTo: number): Generator<Settled> {
    const last = Math.min(upTo, Number(this.#sql.lastSeq.pluck().get() ?? 0))
    let first = last + 1
    try {
      const rows = this.#sql.settled.iterate(this.#ledger.pendingUpTo, last) as IterableIterator<Settled>
      for (const row of rows) {
        first = Math.min(first, row.seq)
        yield row
      }
    } finally {
      this.#ledger.pendingUpTo = Math.max(this.#ledger.pendingUpTo, first - 1)
    }
  }

  #rowsFrom(): number {
    return Number(this.#sql.rowsFrom.pluck().get() ?? 0)
  }

  #noteEvicted(seqs: readonly number[]): void {
    const last = seqs.at(-1)
    if (last !== undefined) this.#journal.add('evicted', last)
  }

  /** @returns the bytes of its body as stored; `null` if it is pending, a dead letter, or deleted already. */
  #deleteRecord(seq: number): number | null {
    const found = this.#sql.deleteSubmission.get(seq) as
      | { readonly bytes: number; readonly endpoint: string }
      | undefined
    if (found === undefined) return null
    if (found.endpoint === 'stream') {
      this.#counters.add('copies', -1)
      this.#counters.add('copy_bytes', -found.bytes)
    }
    this.#sql.deleteOutcomes.run(seq)
    this.#sql.deleteDeliveries.run(seq)
    this.#budget.removeRecord()
    return found.bytes
  }
}

interface Sized {
  readonly seq: number
  readonly bytes: number
}

interface Settled extends Sized {
  /** Ms since the epoch. */
  readonly receivedAt: number
}

function batchOf(rows: Iterable<Sized>, maxBytes: number): readonly number[] {
  const seqs: number[] = []
  let bytes = 0
  for (const row of rows) {
    seqs.push(row.seq)
    bytes += row.bytes
    if (seqs.length >= BATCH_RECORDS || bytes >= Math.min(maxBytes, BATCH_BYTES)) break
  }
  return seqs
}

const IS_SETTLED = `NOT EXISTS (SELECT 1 FROM pending_deliveries p WHERE p.seq = submissions.seq)
    AND NOT EXISTS (SELECT 1 FROM dead_letters d WHERE d.seq = submissions.seq)`

const SQL = {
  receivedAt: 'SELECT received_at FROM submissions WHERE seq = ?',
  lastSeq: 'SELECT max(seq) FROM submissions',
  settled: `SELECT seq, length(body) AS bytes, received_at AS receivedAt FROM submissions WHERE seq > ? AND seq <= ?
    AND ${IS_SETTLED} ORDER BY seq`,
  copies: `SELECT seq, length(body) AS bytes FROM submissions WHERE endpoint = 'stream' AND seq <= ? ORDER BY seq`,
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
