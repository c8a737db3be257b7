import type { Database, Statement } from 'better-sqlite3'
import { type Quantity, quantityOf } from '../../../lib/protocol/data-category'
import type { Outcome } from '../../../lib/protocol/outcome'
import { type Endpoint, parseRecord } from '../../../lib/protocol/record'
import { prepareAll } from '../../runtime/database'
import type { DiskBudget } from '../disk/disk-budget'
import type { FactSink } from '../journal'
import { BodyDamagedError, inflateBody } from '../record-body'
import { readQuantities } from '../stored-content'
import { type DecidedItem, type Decision, EVERY_ITEM } from '../submission'
import { isComplete } from './ledger-entries'
import type { LedgerTotals, RecordRef } from './ledger-totals'

type BodyRow = Parameters<typeof inflateBody>[0] & { readonly endpoint: Endpoint }

interface PendingSubmission {
  readonly seq: number
  readonly publicKey: string
  readonly project: string
  /** Running time when it became pending, ms. */
  readonly ranAt: number
  /** As stored. */
  readonly bytes: number
}

export interface DecidedSubmission extends RecordRef {
  readonly seq: number
  /** One per item, with the category names under which they were counted as received. */
  readonly quantities: readonly Quantity[]
}

export class Ledger {
  readonly #budget: DiskBudget
  readonly #totals: LedgerTotals
  readonly #journal: FactSink
  readonly #now: () => number
  readonly #sql: Readonly<Record<keyof typeof LEDGER_SQL, Statement>>
  /** A bound for scans: every record up to this one was pending or a dead letter at the last scan. */
  pendingUpTo = 0
  /** Per upstream, the submission that this process made pending last. There are as many entries as upstreams. */
  readonly #lastPending = new Map<string, number>()

  constructor(
    db: Database,
    parts: {
      readonly budget: DiskBudget
      readonly totals: LedgerTotals
      readonly journal: FactSink
      readonly now: () => number
    },
  ) {
    this.#budget = parts.budget
    this.#totals = parts.totals
    this.#journal = parts.journal
    this.#now = parts.now
    this.#sql = prepareAll(db, LEDGER_SQL)
  }

  /** @returns the pending submission of the same upstream before it; for the first, any number below its own. */
  addPending(pending: PendingSubmission): number {
    this.requeue(pending)
    const upstream = `${pending.publicKey} ${pending.project}`
    const before = this.#lastPending.get(upstream) ?? pending.seq - 1
    this.#lastPending.set(upstream, pending.seq)
    return before
  }

  requeue(pending: PendingSubmission): void {
    this.#sql.insertPending.run(pending)
    this.#budget.addPending(pending.bytes)
  }

  /** @returns `null` if it was not pending. */
  removePending(seq: number): PendingSubmission | null {
    const pending = this.#sql.deletePending.get(seq) as PendingSubmission | undefined
    if (pending === undefined) return null
    this.#budget.removePending(pending.bytes)
    return pending
  }

  /** Outcomes are written once. @returns `null`, and writes nothing, if the record is not pending. */
  decidePending(seq: number, decision: NonNullable<Decision>, known?: DecidedSubmission): PendingSubmission | null {
    const pending = this.removePending(seq)
    if (pending !== null) this.decide(known ?? this.#read(seq), decision)
    return pending
  }

  /** One outcome for every item of a pending record. @returns false if it is not pending. */
  decidePendingWhole(seq: number, outcome: Outcome, reason: string): boolean {
    return this.decidePending(seq, [{ item: EVERY_ITEM, outcome, reason }]) !== null
  }

  /** For a record that is neither pending nor a dead letter. @throws TypeError when an item has no outcome. */
  decide(record: DecidedSubmission, decision: NonNullable<Decision>): void {
    const { seq, quantities } = record
    if (!isComplete(decision, quantities.length))
      throw new TypeError(
        `the decision about submission ${seq} must have one outcome for each of its ${quantities.length} items, got ${decision.length}`,
      )
    this.insertOutcomes(seq, decision, this.#now())
    for (const decided of decision) this.#totals.addSettled(record, quantities, decided)
    this.#journal.add('decided', seq)
  }

  /** Only the rows: neither totals nor a fact. For a record that is neither pending nor a dead letter. @param at ms since the epoch */
  insertOutcomes(seq: number, decided: readonly DecidedItem[], at: number): void {
    for (const { item, outcome, reason } of decided) this.#sql.insertOutcome.run(seq, item, outcome, reason, at)
    this.pendingUpTo = Math.min(this.pendingUpTo, seq - 1)
  }

  /** One outcome for every item of a record that is neither pending nor a dead letter. */
  decideWhole(seq: number, outcome: Outcome, reason: string): void {
    this.decide(this.#read(seq), [{ item: EVERY_ITEM, outcome, reason }])
  }

  /** @returns `null` if there is no such record (any more). */
  find(seq: number): DecidedSubmission | null {
    const row = this.#sql.read.get(seq) as (RecordRef & { readonly quantities: string }) | undefined
    if (row === undefined) return null
    return { ...row, seq, quantities: this.#quantitiesOf(seq, row.quantities) }
  }

  /** Damaged ones are counted again from the items of the body, so that the totals balance. */
  #quantitiesOf(seq: number, stored: string): readonly Quantity[] {
    const quantities = readQuantities(stored)
    if (quantities.length > 0 || stored === '[]') return quantities
    const row = this.#sql.body.get(seq) as BodyRow
    try {
      const record = parseRecord(row.endpoint, inflateBody(row))
      return record.ok ? record.value.items.map((item) => this.#totals.limitName(quantityOf(item))) : []
    } catch (error) {
      if (error instanceof BodyDamagedError) return []
      throw error
    }
  }

  #read(seq: number): DecidedSubmission {
    const found = this.find(seq)
    if (found === null) throw new Error(`submission ${seq} does not exist, so it cannot be decided`)
    return found
  }
}

const LEDGER_SQL = {
  insertPending:
    'INSERT INTO pending_deliveries (seq, public_key, project, ran_at, stored_bytes) VALUES (@seq, @publicKey, @project, @ranAt, @bytes)',
  deletePending: `DELETE FROM pending_deliveries WHERE seq = ?
    RETURNING seq, public_key AS publicKey, project, ran_at AS ranAt, stored_bytes AS bytes`,
  read: 'SELECT journal, stamp, quantities FROM submissions WHERE seq = ?',
  body: 'SELECT endpoint, bytes, deflated, body FROM submissions WHERE seq = ?',
  insertOutcome: 'INSERT INTO outcomes (seq, item, outcome, reason, at) VALUES (?, ?, ?, ?, ?)',
} as const

/**
 * Submissions that upstream refused in a way that a retry would not change. They count as pending in the ledger totals
 * until a person sends them again or drops them, or eviction ends them as `invalid`.
 */
export class DeadLetters {
  readonly #ledger: Ledger
  readonly #budget: DiskBudget
  readonly #journal: FactSink
  readonly #sql: Readonly<Record<keyof typeof DEAD_LETTER_SQL, Statement>>

  constructor(
    db: Database,
    parts: { readonly ledger: Ledger; readonly budget: DiskBudget; readonly journal: FactSink },
  ) {
    this.#ledger = parts.ledger
    this.#budget = parts.budget
    this.#journal = parts.journal
    this.#sql = prepareAll(db, DEAD_LETTER_SQL)
  }

  /** One that is not pending stays as it is. */
  add(seq: number, at: number, status: number): void {
    const pending = this.#ledger.removePending(seq)
    if (pending === null) return
    this.#sql.insert.run({ ...pending, at, status })
    this.#budget.addDeadLetter(pending.bytes)
  }

  /** One that does not fit the share of pending records stays. @returns those pending now. */
  requeue(seqs: readonly number[]): readonly number[] {
    return seqs.filter((seq) => {
      const dead = this.#sql.read.get(seq) as PendingSubmission | undefined
      if (dead === undefined || !this.#budget.fitsPendingShare(dead.bytes)) return false
      this.#moveToPending(dead)
      this.#journal.add('pending', seq)
      return true
    })
  }

  /** For a record whose shares another store keeps. One that is no dead letter stays as it is. */
  requeueGiven(seq: number): void {
    const dead = this.#sql.read.get(seq) as PendingSubmission | undefined
    if (dead !== undefined) this.#moveToPending(dead)
  }

  #moveToPending(dead: PendingSubmission): void {
    this.remove(dead.seq)
    this.#ledger.requeue(dead)
  }

  /** @returns how many were dead letters. Others are skipped. */
  drop(seqs: readonly number[]): number {
    return seqs.filter((seq) => this.end(seq, 'dropped', 'dead_letter')).length
  }

  /** For eviction: ends it with the status of its refusal. @returns whether it was a dead letter. */
  endAsInvalid(seq: number): boolean {
    const status: unknown = this.#sql.status.pluck().get(seq)
    return status !== undefined && this.end(seq, 'invalid', `upstream_${String(status)}`)
  }

  end(seq: number, outcome: 'dropped' | 'invalid', reason: string): boolean {
    if (!this.remove(seq)) return false
    this.#ledger.decideWhole(seq, outcome, reason)
    return true
  }

  /** Without an outcome. @returns whether it was a dead letter */
  remove(seq: number): boolean {
    const bytes: unknown = this.#sql.remove.pluck().get(seq)
    if (bytes === undefined) return false
    this.#budget.removeDeadLetter(Number(bytes))
    return true
  }
}

const DEAD_LETTER_SQL = {
  insert: `INSERT INTO dead_letters (seq, public_key, project, ran_at, stored_bytes, at, status)
    VALUES (@seq, @publicKey, @project, @ranAt, @bytes, @at, @status)`,
  read: `SELECT seq, public_key AS publicKey, project, ran_at AS ranAt, stored_bytes AS bytes FROM dead_letters
    WHERE seq = ?`,
  status: 'SELECT status FROM dead_letters WHERE seq = ?',
  remove: 'DELETE FROM dead_letters WHERE seq = ? RETURNING stored_bytes',
} as const
