import type { Database, Statement } from 'better-sqlite3'
import type { JournalFact } from '../../lib/wire/journal'
import { faultPoint } from '../fault-point'
import { deflate, inflate } from './record-body'
import { type Appended, type Attempt, EVERY_ITEM, type StoredLimit, type Submission } from './submission'

type Kind = JournalFact['kind']

/**
 * The spool's one writer. Methods only stage their work: they must run inside `commit`, which makes a batch durable
 * with a single sync and hands out the journal facts it made.
 */
export class SpoolWriter {
  readonly #db: Database
  readonly #now: () => number
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>
  #facts: JournalFact[] = []

  constructor(db: Database, now: () => number) {
    this.#db = db
    this.#now = now
    const prepare = (name: keyof typeof SQL): Statement => db.prepare(SQL[name])
    this.#sql = Object.fromEntries(
      (Object.keys(SQL) as (keyof typeof SQL)[]).map((name) => [name, prepare(name)]),
    ) as Record<keyof typeof SQL, Statement>
  }

  /** Runs the work in one transaction. What it returned and the facts it made are true once this returns. */
  commit<Answer>(work: () => Answer): { readonly answer: Answer; readonly facts: readonly JournalFact[] } {
    this.#facts = []
    const answer = this.#db.transaction(work).immediate()
    return { answer, facts: this.#facts }
  }

  /** One caller's work inside a batch: when it throws, its own rows and facts go, and nobody else's. */
  attempt<Answer>(work: () => Answer): Answer {
    const before = this.#facts.length
    try {
      // Inside a transaction this is a savepoint.
      return this.#db.transaction(work)()
    } catch (error) {
      this.#facts.length = before
      throw error
    }
  }

  /** Stores a submission; one that is known, receipt and bytes, stores nothing and answers with what it stored then. */
  append(submission: Submission): Appended {
    const known = this.#sql.findReceipt.get(submission.receipt) as KnownRow | undefined
    if (known !== undefined && isSameBody(known, submission.body)) return { seq: known.seq, journal: known.journal }
    // One receipt for two bodies is a sender's mistake, which must not lose the second.
    const receipt = known === undefined ? submission.receipt : `${submission.receipt}+${this.#nextJournal()}`
    const { deflated, body } = deflate(submission.body)
    const seq = Number(
      this.#sql.insertSubmission.run({
        receipt,
        journal: this.#nextJournal(),
        receivedAt: submission.receivedAt,
        door: submission.door,
        project: submission.project,
        publicKey: submission.publicKey,
        stamp: submission.stamp,
        facts: JSON.stringify(submission.facts),
        quantities: JSON.stringify(submission.quantities.map(({ category, quantity }) => [category, quantity])),
        bytes: submission.body.length,
        deflated: deflated ? 1 : 0,
        body,
      }).lastInsertRowid,
    )
    const journal = this.#fact('received', seq)
    if (submission.fate === 'copy') return { seq, journal }
    for (const { category, quantity } of submission.quantities) this.#enter(category, 'received', quantity)
    if (submission.fate === 'owed') {
      this.#sql.insertOwed.run(seq, submission.publicKey, submission.project)
    } else {
      const { outcome, reason } = submission.fate
      this.#decide(seq, [{ item: EVERY_ITEM, outcome, reason }])
    }
    return { seq, journal }
  }

  /** Writes one attempt and, where it decided, the outcomes. An outcome is set once: a second decision is ignored. */
  deliver(attempt: Attempt): void {
    const journal = this.#fact('delivered', attempt.seq)
    const { decision, ...row } = attempt
    this.#sql.insertDelivery.run({ ...row, journal, maybeDelivered: attempt.maybeDelivered ? 1 : 0 })
    if (decision === null) return
    if (this.#sql.deleteOwed.run(attempt.seq).changes === 1) this.#decide(attempt.seq, decision)
  }

  /** Keeps limits that upstream told; where two speak of one category the longer holds. */
  limit(limits: readonly StoredLimit[]): void {
    for (const limit of limits) this.#sql.upsertLimit.run(limit)
  }

  /** The digest covers everything up to this submission. */
  digested(upTo: number): void {
    this.#fact('digested', upTo)
  }

  /** The door refused a body: only envelopes and bytes are counted, for it has no items. */
  refused(reason: string, bytes: number): void {
    this.#sql.countRefusal.run({ reason, bytes })
    this.#fact('refused', null)
  }

  setting(name: string, value: string): void {
    this.#sql.upsertSetting.run(name, value)
  }

  /** Folds the log back into the file, so that what is left is one file. */
  close(): void {
    this.checkpoint('TRUNCATE')
    this.#db.close()
  }

  /** Writes what is in the log into the file; `TRUNCATE` also empties the log, waiting for readers. */
  checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): void {
    faultPoint('checkpoint')
    this.#db.pragma(`wal_checkpoint(${mode})`)
    faultPoint('checkpointed')
  }

  #decide(seq: number, decision: NonNullable<Attempt['decision']>): void {
    const quantities = JSON.parse(String(this.#sql.findQuantities.pluck().get(seq))) as [string, number][]
    const at = this.#now()
    for (const { item, outcome, reason } of decision) {
      this.#sql.insertOutcome.run(seq, item, outcome, reason, at)
      const settled = item === EVERY_ITEM ? quantities : quantities.slice(item, item + 1)
      for (const [category, quantity] of settled) this.#enter(category, outcome, quantity)
    }
    this.#fact('decided', seq)
  }

  #enter(category: string, entry: string, quantity: number): void {
    this.#sql.enterBook.run({ category, entry, quantity })
  }

  #nextJournal(): number {
    return Number(this.#sql.headJournal.pluck().get() ?? 0) + 1
  }

  #fact(kind: Kind, seq: number | null): number {
    const at = this.#now()
    const n = Number(this.#sql.insertJournal.run(at, kind, seq).lastInsertRowid)
    this.#facts.push({ n, at, kind, seq })
    return n
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
    (receipt, journal, received_at, door, project, public_key, stamp, facts, quantities, bytes, deflated, body)
    VALUES (@receipt, @journal, @receivedAt, @door, @project, @publicKey, @stamp, @facts, @quantities, @bytes, @deflated, @body)`,
  insertOwed: 'INSERT INTO owed (seq, public_key, project) VALUES (?, ?, ?)',
  deleteOwed: 'DELETE FROM owed WHERE seq = ?',
  findQuantities: 'SELECT quantities FROM submissions WHERE seq = ?',
  insertOutcome: 'INSERT INTO outcomes (seq, item, outcome, reason, at) VALUES (?, ?, ?, ?, ?)',
  insertDelivery: `INSERT INTO deliveries
    (journal, seq, attempt, upstream, started_at, ended_at, status, error, rate_limits, retry_after, answer, form, sha256, bytes, maybe_delivered)
    VALUES (@journal, @seq, (SELECT count(*) + 1 FROM deliveries WHERE seq = @seq), @upstream, @startedAt, @endedAt, @status,
      @error, @rateLimits, @retryAfter, @answer, @form, @sha256, @bytes, @maybeDelivered)`,
  upsertLimit: `INSERT INTO limits (public_key, project, category, until, told_at, reason)
    VALUES (@publicKey, @project, @category, @until, @toldAt, @reason)
    ON CONFLICT DO UPDATE SET until = excluded.until, told_at = excluded.told_at, reason = excluded.reason
    WHERE excluded.until > limits.until`,
  headJournal: "SELECT seq FROM sqlite_sequence WHERE name = 'journal'",
  insertJournal: 'INSERT INTO journal (at, kind, seq) VALUES (?, ?, ?)',
  enterBook: `INSERT INTO books (category, entry, quantity, items) VALUES (@category, @entry, @quantity, 1)
    ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity, items = items + 1`,
  countRefusal: `INSERT INTO refusals (reason, envelopes, bytes) VALUES (@reason, 1, @bytes)
    ON CONFLICT DO UPDATE SET envelopes = envelopes + 1, bytes = bytes + excluded.bytes`,
  upsertSetting: 'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
} as const
