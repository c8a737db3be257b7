import type { Database, Statement } from 'better-sqlite3'
import type { Discard, Submission } from '../../lib/protocol/submission'
import type { JournalFact } from '../../lib/wire/journal'
import { Counters, Refusals, RunningTime } from './counters'
import { Attempts, Unreported } from './deliveries'
import { Evictor } from './disk/delete-records'
import { DiskBudget } from './disk/disk-budget'
import { Journal } from './journal'
import { DeadLetters, type DecidedSubmission, Ledger } from './ledger/ledger'
import { LedgerTotals } from './ledger/ledger-totals'
import { StoredUnseenAnswers } from './ledger/unseen-table'
import { PageLimits } from './page-limits'
import { BodyDamagedError, type CheckedRow, checksumOf, deflateBody, readBody, storedBytes } from './record-body'
import { isCopy, Records } from './records'
import { Settings } from './settings'
import { type Appended, type Attempt, type Decision, type DiskBudgetExceeded, EVERY_ITEM } from './submission'
import { type Committed, Transactions } from './transactions'
import { UpstreamLimits } from './upstream-limits'
import { VisitorDeletions } from './visitors'

/** Methods that write must be called inside `commit`, which syncs once and returns the journal facts. */
export class SpoolWriter {
  readonly counters: Counters
  readonly budget: DiskBudget
  readonly time: RunningTime
  readonly evictor: Evictor
  readonly deadLetters: DeadLetters
  readonly limits: UpstreamLimits
  readonly unseen: StoredUnseenAnswers
  readonly visitors: VisitorDeletions
  readonly #journal: Journal
  readonly #totals: LedgerTotals
  readonly #ledger: Ledger
  readonly #unreported: Unreported
  readonly #attempts: Attempts
  readonly #pages: PageLimits
  readonly #records: Records
  readonly #refusals: Refusals
  readonly #settings: Settings
  readonly #transactions: Transactions
  readonly #findReceipt: Statement

  constructor(
    db: Database,
    options: { readonly cap: number; readonly now: () => number; readonly monotonic: () => number },
  ) {
    this.counters = new Counters(db)
    this.budget = new DiskBudget(db, options.cap)
    this.time = new RunningTime(this.counters, options.monotonic)
    this.#journal = new Journal(db, options.now)
    this.#totals = new LedgerTotals(db)
    const parts = { budget: this.budget, totals: this.#totals, journal: this.#journal, counters: this.counters }
    this.#ledger = new Ledger(db, { ...parts, now: options.now })
    this.deadLetters = new DeadLetters(db, { ...parts, ledger: this.#ledger })
    this.evictor = new Evictor(db, { ...parts, ledger: this.#ledger, deadLetters: this.deadLetters })
    this.#unreported = new Unreported(db)
    this.#attempts = new Attempts(db)
    this.unseen = new StoredUnseenAnswers(db, this.#totals)
    this.visitors = new VisitorDeletions(db)
    this.#pages = new PageLimits(db, { now: options.now, counters: this.counters })
    this.limits = new UpstreamLimits(db, { now: options.now, pages: this.#pages })
    this.#records = new Records(db, { budget: this.budget, counters: this.counters })
    this.#refusals = new Refusals(db)
    this.#settings = new Settings(db)
    this.#findReceipt = db.prepare(FIND_RECEIPT)
    this.#transactions = new Transactions(db, { ...parts, pages: this.#pages, time: this.time })
  }

  /** Runs the work in one transaction. When this returns, the transaction is synced. @throws when it was rolled back. */
  commit<Result>(work: () => Result): Committed<Result> {
    return this.#transactions.commit(work)
  }

  /** Runs one call of a batch in a savepoint: when it throws, only its own changes are rolled back. */
  attempt<Result>(work: () => Result): Result {
    return this.#transactions.attempt(work)
  }

  /**
   * One that was stored before (same receipt, same bytes) gets the same answer. One that would exceed the share of pending
   * records is not stored: what is acknowledged stays pending until it is decided. One whose visitor deleted everything
   * after sending it is counted and dropped.
   */
  insertSubmission(submission: Submission): Appended | DiskBudgetExceeded {
    if (!this.visitors.includes(submission)) return this.#insert(submission)
    const deliveryStatus = { outcome: 'dropped', reason: 'visitor' } as const
    const inserted = this.#insert({ ...submission, body: new Uint8Array(), deliveryStatus })
    if ('seq' in inserted) this.evictor.clear([inserted.seq])
    return inserted
  }

  #insert(submission: Submission): Appended | DiskBudgetExceeded {
    const known = this.#findReceipt.get(submission.receipt) as KnownRow | undefined
    if (known !== undefined && isSameBody(known, submission.body)) return { seq: known.seq, journal: known.journal }

    const { endpoint } = submission
    const { deflated, body } = deflateBody(submission.body)
    const facts = JSON.stringify(submission.facts)
    const quantities = submission.quantities.map((quantity) => this.#totals.limitName(quantity))
    const quantitiesText = JSON.stringify(quantities.map(({ category, quantity }) => [category, quantity]))
    const bytes = storedBytes({ body, facts, quantities: quantitiesText })
    const isPending = submission.deliveryStatus === 'pending'
    if (isPending && !this.budget.mayBePending(bytes)) return { needed: bytes, backlogFull: true }
    const isOneCopy = isCopy(submission)
    const exceedsShare = isOneCopy && this.counters.get('copy_bytes') + body.length > this.budget.copiesCap
    if (exceedsShare || !this.budget.fits(bytes))
      return { needed: bytes, ...(isOneCopy && { copiesFull: true, exceedsCap: body.length > this.budget.copiesCap }) }

    // A sender that uses one receipt for two bodies must not lose the second.
    const receipt = known === undefined ? submission.receipt : `${submission.receipt}+${this.#journal.next}`
    const { stamp, publicKey, project, deliveryStatus } = submission
    const row = {
      receipt,
      journal: this.#journal.next,
      receivedAt: submission.receivedAt,
      endpoint,
      project,
      publicKey,
      stamp,
      facts,
      quantities: quantitiesText,
      bytes: submission.body.length,
      deflated,
      body,
      checksum: checksumOf({ body, facts, quantities: quantitiesText }),
    }
    const seq = this.#records.insert(row, bytes)
    if (seq === null) throw new Error(`a record with receipt ${receipt} is stored already`)
    const journal = this.#journal.add('received', seq)
    if (deliveryStatus === 'copy') return { seq, journal }

    const record = { seq, journal, stamp, quantities }
    this.#totals.addReceived(record, quantities)
    this.#totals.addDiscarded(record, submission.discards)
    this.#pages.addSubmission(submission, seq)
    this.unseen.addRecord(submission, record, quantities)
    if (deliveryStatus !== 'pending') {
      this.#ledger.decide(record, [{ item: EVERY_ITEM, ...deliveryStatus }])
      return { seq, journal }
    }
    const pendingAfter = this.#ledger.addPending({ seq, publicKey, project, ranAt: this.time.ran, bytes })
    return { seq, journal, pendingAfter }
  }

  /**
   * Writes an attempt with the outcomes that it decided, or makes the submission a dead letter. Ignores a second
   * decision, and an attempt for a record that was deleted while its post was open.
   */
  recordAttempt(attempt: Attempt): void {
    const record = attempt.unreadable ? unknownRecord(attempt.seq) : this.#ledger.find(attempt.seq)
    if (record === null) return
    const journal = this.#journal.add('delivered', attempt.seq)
    this.#attempts.add(attempt, journal)
    const { decision, dead, toReport } = attempt
    if (decision !== null) this.#decide(attempt.seq, decision, toReport, record)
    if (dead) this.#addDeadLetter(attempt)
  }

  /** Does nothing if the submission is not pending. */
  decideWithoutAttempt(seq: number, decision: NonNullable<Decision>, toReport: readonly Discard[]): void {
    this.#decide(seq, decision, toReport)
  }

  /** @param known the record, if it was read already. */
  #decide(seq: number, decision: NonNullable<Decision>, toReport: readonly Discard[], known?: DecidedSubmission): void {
    const pending = this.#ledger.decidePending(seq, decision, known)
    if (pending === null) return
    this.#unreported.add(pending, toReport)
    this.limits.periods.addCut(pending, seq, decision)
  }

  subtractReported(publicKey: string, project: string, discards: readonly Discard[]): void {
    this.#unreported.subtract({ publicKey, project }, discards)
  }

  noteChanged(): void {
    this.#journal.add('changed', null)
  }

  noteDigested(upTo: number, traces: JournalFact['traces'] = null): void {
    this.#journal.add('digested', upTo, { traces })
  }

  /** An endpoint refused a body. Only envelopes and bytes are counted, because its items are unknown. */
  countRefusal(reason: string, bytes: number, path?: string): void {
    this.#refusals.count(reason, bytes, path ?? null)
    this.#journal.add('refused', null)
  }

  /** Documents that a tunnel's app served, and the pages among them that posted. */
  countPages(documents: number, pages: number): void {
    this.counters.add('documents', documents)
    this.counters.add('pages_posted', pages)
  }

  saveSetting(name: string, value: string | null): void {
    this.#settings.save(name, value)
  }

  #addDeadLetter({ seq, status, decision, endedAt }: Attempt): void {
    if (status === null || decision !== null)
      throw new TypeError(`an attempt that makes submission ${seq} a dead letter needs a status and no decision`)
    this.deadLetters.add(seq, endedAt, status)
  }
}

/** After a failed read of a damaged page, SQLite refuses the writes of the same transaction. Its outcome counts no items. */
const unknownRecord = (seq: number): DecidedSubmission => ({ seq, journal: 0, stamp: null, quantities: [] })

interface KnownRow extends CheckedRow {
  readonly seq: number
  readonly journal: number
}

/** A damaged one is not the same: its sender's next copy is stored in its place. */
function isSameBody(known: KnownRow, body: Uint8Array): boolean {
  try {
    return known.bytes === body.length && Buffer.compare(readBody(known), body) === 0
  } catch (error) {
    if (error instanceof BodyDamagedError) return false
    throw error
  }
}

const FIND_RECEIPT =
  'SELECT seq, journal, deflated, bytes, body, facts, quantities, checksum FROM submissions WHERE receipt = ?'
