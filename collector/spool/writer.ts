import type { Database, Statement, Transaction } from 'better-sqlite3'
import type { JournalFact } from '../../lib/wire/journal'
import { Attempts } from './attempts'
import { Books } from './books'
import { Counters } from './counters'
import { DeadLetters } from './dead-letters'
import { Evictor } from './evictor'
import { Journal } from './journal'
import { type DecidedRecord, Ledger } from './ledger'
import { prepareAll } from './prepare'
import { deflate, inflate } from './record-body'
import { Room } from './room'
import { RunningTime } from './running-time'
import { StoredLimits } from './stored-limits'
import {
  type Appended,
  type Attempt,
  type Decision,
  type Discard,
  EVERY_ITEM,
  type NoRoom,
  type Submission,
} from './submission'
import { ToldPages } from './told-pages'
import { Unreported } from './unreported'

/** What a record takes beside its body and its texts: keys, index entries, its first facts and outcome. */
const RECORD_OVERHEAD_BYTES = 512
/**
 * The spool's one writer. Methods only stage their work: they must run inside `commit`, which makes a batch durable
 * with a single sync and hands out the journal facts it made.
 */
export class SpoolWriter {
  readonly counters: Counters
  readonly room: Room
  readonly time: RunningTime
  readonly evictor: Evictor
  readonly dead: DeadLetters
  readonly limits: StoredLimits
  readonly #journal: Journal
  readonly #books: Books
  readonly #ledger: Ledger
  readonly #unreported: Unreported
  readonly #attempts: Attempts
  readonly #pages: ToldPages
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>
  /** Made once: the library makes four functions of each that is given to it. */
  readonly #transact: Transaction<(work: () => unknown) => unknown>

  /** @param monotonic ms that only ever grow: no clock that is set moves them. */
  constructor(
    db: Database,
    options: { readonly cap: number; readonly now: () => number; readonly monotonic: () => number },
  ) {
    this.counters = new Counters(db)
    this.room = new Room(db, options.cap)
    this.time = new RunningTime(this.counters, options.monotonic)
    this.#journal = new Journal(db, options.now)
    this.#books = new Books(db)
    const parts = { room: this.room, books: this.#books, journal: this.#journal, counters: this.counters }
    this.#ledger = new Ledger(db, { ...parts, now: options.now })
    this.dead = new DeadLetters(db, { ...parts, ledger: this.#ledger })
    this.evictor = new Evictor(db, { ...parts, ledger: this.#ledger, dead: this.dead })
    this.#unreported = new Unreported(db)
    this.#attempts = new Attempts(db)
    this.#pages = new ToldPages(db, { now: options.now, counters: this.counters })
    this.limits = new StoredLimits(db, { now: options.now, pages: this.#pages })
    this.#sql = prepareAll(db, SQL)
    this.#transact = db.transaction((work) => work())
  }

  /** Runs the work in one transaction. What it returned and the facts it made are true once this returns. */
  commit<Answer>(work: () => Answer): { readonly answer: Answer; readonly facts: readonly JournalFact[] } {
    const { sums } = this.room
    try {
      const answer = this.#transact.immediate(() => {
        const done = work()
        if (this.room.sums.pendingRecords > sums.pendingRecords) this.time.save()
        this.#books.write()
        this.#journal.trim()
        return done
      }) as Answer
      return { answer, facts: this.#journal.take() }
    } catch (error) {
      this.room.sums = sums
      this.#journal.take()
      this.#books.forget()
      this.#pages.forget()
      throw error
    }
  }

  /** One caller's work inside a batch: when it throws, its own rows and facts go, and nobody else's. */
  attempt<Answer>(work: () => Answer): Answer {
    const { length } = this.#journal
    const lines = this.#books.length
    const { sums } = this.room
    try {
      // Inside a transaction this is a savepoint.
      return this.#transact(work) as Answer
    } catch (error) {
      this.#journal.cutTo(length)
      this.#books.cutTo(lines)
      this.#pages.forget()
      this.room.sums = sums
      throw error
    }
  }

  /**
   * Stores a submission; one that is known, receipt and bytes, stores nothing and answers with what it stored then.
   * One that would be pending while the backlog has its share is stored and ends as `overflow`.
   */
  append(submission: Submission): Appended | NoRoom {
    const known = this.#sql.findReceipt.get(submission.receipt) as KnownRow | undefined
    if (known !== undefined && isSameBody(known, submission.body)) return { seq: known.seq, journal: known.journal }
    const { deflated, body } = deflate(submission.body)
    const facts = JSON.stringify(submission.facts)
    const named = submission.quantities.map((quantity) => this.#books.named(quantity))
    const quantities = JSON.stringify(named.map(({ category, quantity }) => [category, quantity]))
    const bytes = body.length + facts.length + quantities.length + RECORD_OVERHEAD_BYTES
    if (!this.room.fits(bytes)) return { needed: bytes }
    // One receipt for two bodies is a sender's mistake, which must not lose the second.
    const receipt = known === undefined ? submission.receipt : `${submission.receipt}+${this.#journal.next}`
    const seq = Number(
      this.#sql.insertSubmission.run({
        receipt,
        journal: this.#journal.next,
        receivedAt: submission.receivedAt,
        endpoint: submission.endpoint,
        project: submission.project,
        publicKey: submission.publicKey,
        stamp: submission.stamp,
        facts,
        quantities,
        bytes: submission.body.length,
        deflated: deflated ? 1 : 0,
        body,
      }).lastInsertRowid,
    )
    this.room.stored(bytes)
    const journal = this.#journal.add('received', seq)
    const { deliveryStatus, publicKey, project } = submission
    if (submission.endpoint === 'stream') this.counters.add('copies', 1)
    if (deliveryStatus === 'copy') return { seq, journal }
    const record = { seq, journal, stamp: submission.stamp, quantities: named }
    this.#books.received(record, named)
    this.#books.discarded(record, submission.discards)
    this.#pages.received(submission, seq)
    if (deliveryStatus !== 'pending') {
      this.#ledger.decide(record, [{ item: EVERY_ITEM, ...deliveryStatus }])
    } else if (this.room.mayOwe(bytes)) {
      const pendingAfter = this.#ledger.owe({ seq, publicKey, project, ranAt: this.time.ran, bytes })
      return { seq, journal, pendingAfter }
    } else {
      this.counters.add('overflow', 1)
      this.#ledger.decide(record, [{ item: EVERY_ITEM, outcome: 'overflow', reason: 'backlog_full' }])
    }
    return { seq, journal }
  }

  /**
   * Writes one attempt and, where it decided, the outcomes, and what of it is to be told upstream; what was refused for
   * what it is becomes a dead letter. An outcome is set once: a second decision is ignored, and so is all that comes of a
   * record that went while its post was open.
   */
  deliver(attempt: Attempt): void {
    const record = this.#ledger.find(attempt.seq)
    if (record === null) return
    const journal = this.#journal.add('delivered', attempt.seq)
    this.#attempts.add(attempt, journal)
    const { decision, dead, toReport } = attempt
    if (decision !== null) this.settle(attempt.seq, decision, toReport, record)
    if (dead) this.#bury(attempt)
  }

  /**
   * Writes the outcomes of what is pending, and what of it is to be told upstream: of what was not posted, too. Where
   * nothing is pending any more it does nothing. @param known the record, where it was read already.
   */
  settle(seq: number, decision: NonNullable<Decision>, toReport: readonly Discard[], known?: DecidedRecord): void {
    const pending = this.#ledger.settle(seq, decision, known)
    if (pending === null) return
    this.#unreported.add(pending, toReport)
    this.limits.spells.cut(pending, seq, decision)
  }

  /** So much of what was to be told upstream was told. */
  reported(publicKey: string, project: string, discards: readonly Discard[]): void {
    this.#unreported.subtract({ publicKey, project }, discards)
  }

  /** Something changed that no record tells of: a script, a setting. */
  changed(): void {
    this.#journal.add('changed', null)
  }

  /** The digest covers everything up to this submission. */
  digested(upTo: number): void {
    this.#journal.add('digested', upTo)
  }

  /** The endpoint refused a body: only envelopes and bytes are counted, for it has no items. */
  refused(reason: string, bytes: number): void {
    this.#sql.countRefusal.run({ reason, bytes })
    this.#journal.add('refused', null)
  }

  setting(name: string, value: string): void {
    this.#sql.upsertSetting.run(name, value)
  }

  #bury({ seq, status, decision, endedAt }: Attempt): void {
    if (status === null || decision !== null)
      throw new TypeError(`attempt at ${seq}: a dead letter has the status it was refused by, and no decision`)
    this.dead.bury(seq, endedAt, status)
  }
}

interface KnownRow {
  readonly seq: number
  readonly journal: number
  readonly deflated: number
  readonly bytes: number
  readonly body: Uint8Array
}

const isSameBody = (known: KnownRow, body: Uint8Array): boolean =>
  known.bytes === body.length && Buffer.compare(inflate(known), body) === 0

const SQL = {
  findReceipt: 'SELECT seq, journal, deflated, bytes, body FROM submissions WHERE receipt = ?',
  insertSubmission: `INSERT INTO submissions
    (receipt, journal, received_at, endpoint, project, public_key, stamp, facts, quantities, bytes, deflated, body)
    VALUES (@receipt, @journal, @receivedAt, @endpoint, @project, @publicKey, @stamp, @facts, @quantities, @bytes, @deflated, @body)`,
  countRefusal: `INSERT INTO refusals (reason, envelopes, bytes) VALUES (@reason, 1, @bytes)
    ON CONFLICT DO UPDATE SET envelopes = envelopes + 1, bytes = bytes + excluded.bytes`,
  upsertSetting: 'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
} as const
