import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from './prepare'
import type { Attempt } from './submission'

/** Attempts that are kept of one record: a day without upstream makes more. */
const MOST_ATTEMPTS = 100

/** The rows of attempts. Methods run inside a transaction of the writer. */
export class Attempts {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database) {
    this.#sql = prepareAll(db, SQL)
  }

  /** @param journal number of its fact. */
  add(attempt: Attempt, journal: number): void {
    const { decision: _, dead: __, toReport: ___, leftOut, removed, form, maybeDelivered, ...row } = attempt
    const { attempt: number } = this.#sql.insert.get({
      ...row,
      journal,
      form: form.join(' '),
      leftOut: leftOut.length === 0 ? null : JSON.stringify(leftOut),
      removed: removed.length === 0 ? null : JSON.stringify(removed),
      maybeDelivered: maybeDelivered ? 1 : 0,
    }) as { readonly attempt: number }
    if (number > MOST_ATTEMPTS) this.#sql.trim.run(attempt.seq, number - MOST_ATTEMPTS)
  }
}

const SQL = {
  insert: `INSERT INTO deliveries
    (journal, seq, attempt, upstream, started_at, ended_at, status, error, rate_limits, retry_after, answer, form, sha256, bytes, maybe_delivered, left_out, removed)
    VALUES (@journal, @seq, (SELECT coalesce(max(attempt), 0) + 1 FROM deliveries WHERE seq = @seq), @upstream, @startedAt, @endedAt,
      @status, @error, @rateLimits, @retryAfter, @answer, @form, @sha256, @bytes, @maybeDelivered, @leftOut, @removed)
    RETURNING attempt`,
  trim: 'DELETE FROM deliveries WHERE seq = ? AND attempt <= ?',
} as const
