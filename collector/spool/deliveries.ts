import type { Database, Statement } from 'better-sqlite3'
import type { Discard } from '../../lib/protocol/submission'
import { prepareAll } from '../runtime/database'
import type { Attempt } from './submission'

/** Delivery attempts kept per submission: a day without upstream makes more. */
const MAX_ATTEMPTS = 100

export class Attempts {
  readonly #sql: Readonly<Record<keyof typeof ATTEMPT_SQL, Statement>>

  constructor(db: Database) {
    this.#sql = prepareAll(db, ATTEMPT_SQL)
  }

  /** @param id in lists; `null` for the next one */
  add(attempt: Attempt, journal: number, id: number | null = null): void {
    const { seq, leftOut, removed } = attempt
    const number = Number(this.#sql.last.pluck().get(seq) ?? 0) + 1
    // By position: better-sqlite3 looks up each named parameter for every row.
    this.#sql.insert.run(
      id,
      journal,
      seq,
      number,
      attempt.upstream,
      attempt.startedAt,
      attempt.endedAt,
      attempt.status,
      attempt.error,
      attempt.rateLimits,
      attempt.retryAfter,
      attempt.answer,
      attempt.form.join(' '),
      attempt.sha256,
      attempt.bytes,
      attempt.maybeDelivered ? 1 : 0,
      leftOut.length === 0 ? null : JSON.stringify(leftOut),
      removed.length === 0 ? null : JSON.stringify(removed),
    )
    if (number > MAX_ATTEMPTS) this.#sql.trim.run(seq, number - MAX_ATTEMPTS)
  }
}

const ATTEMPT_SQL = {
  insert: `INSERT INTO deliveries
    (id, journal, seq, attempt, upstream, started_at, ended_at, status, error, rate_limits, retry_after, answer, form, sha256, bytes, maybe_delivered, left_out, removed)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  last: 'SELECT max(attempt) FROM deliveries WHERE seq = ?',
  trim: 'DELETE FROM deliveries WHERE seq = ? AND attempt <= ?',
} as const

export interface UpstreamKey {
  readonly publicKey: string
  readonly project: string
}

/** Items cut before delivery, until a client report reports them upstream. */
export class Unreported {
  readonly #sql: Readonly<Record<keyof typeof UNREPORTED_SQL, Statement>>

  constructor(db: Database) {
    this.#sql = prepareAll(db, UNREPORTED_SQL)
  }

  add({ publicKey, project }: UpstreamKey, discards: readonly Discard[]): void {
    for (const { reason, category, quantity } of discards)
      this.#sql.add.run({ publicKey, project, reason, category, quantity })
  }

  /** Subtracts what was reported; quantities that were added meanwhile stay. */
  subtract({ publicKey, project }: UpstreamKey, discards: readonly Discard[]): void {
    for (const { reason, category, quantity } of discards)
      this.#sql.subtract.run({ publicKey, project, reason, category, quantity })
    this.#sql.deleteEmpty.run(publicKey, project)
  }
}

const UNREPORTED_SQL = {
  add: `INSERT INTO unreported (public_key, project, reason, category, quantity)
    VALUES (@publicKey, @project, @reason, @category, @quantity)
    ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity`,
  subtract: `UPDATE unreported SET quantity = quantity - @quantity
    WHERE public_key = @publicKey AND project = @project AND reason = @reason AND category = @category`,
  deleteEmpty: 'DELETE FROM unreported WHERE public_key = ? AND project = ? AND quantity <= 0',
} as const
