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
    const { decision: _, dead: __, toReport: ___, leftOut, removed, form, maybeDelivered, ...row } = attempt
    const { attempt: number } = this.#sql.insert.get({
      ...row,
      id,
      journal,
      form: form.join(' '),
      leftOut: leftOut.length === 0 ? null : JSON.stringify(leftOut),
      removed: removed.length === 0 ? null : JSON.stringify(removed),
      maybeDelivered: maybeDelivered ? 1 : 0,
    }) as { readonly attempt: number }
    if (number > MAX_ATTEMPTS) this.#sql.trim.run(attempt.seq, number - MAX_ATTEMPTS)
  }
}

const ATTEMPT_SQL = {
  insert: `INSERT INTO deliveries
    (id, journal, seq, attempt, upstream, started_at, ended_at, status, error, rate_limits, retry_after, answer, form, sha256, bytes, maybe_delivered, left_out, removed)
    VALUES (@id, @journal, @seq, (SELECT coalesce(max(attempt), 0) + 1 FROM deliveries WHERE seq = @seq), @upstream, @startedAt, @endedAt,
      @status, @error, @rateLimits, @retryAfter, @answer, @form, @sha256, @bytes, @maybeDelivered, @leftOut, @removed)
    RETURNING attempt`,
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
