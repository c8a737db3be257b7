import type { Database, Statement } from 'better-sqlite3'
import { LimitSpells } from './limit-spells'
import { prepareAll } from './prepare'
import { type CorrectedLimit, MOST_LIMITS, type StoredLimit } from './submission'
import type { ToldPages } from './told-pages'

/** The rows of what upstreams limit. Methods run inside a transaction of the writer. */
export class StoredLimits {
  readonly spells: LimitSpells
  readonly #now: () => number
  readonly #pages: ToldPages
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database, { now, pages }: { readonly now: () => number; readonly pages: ToldPages }) {
    this.spells = new LimitSpells(db, now)
    this.#now = now
    this.#pages = pages
    this.#sql = prepareAll(db, SQL)
  }

  /**
   * Where two speak of one category the longer holds. A clock that was set back since makes the older one's end
   * meaningless.
   */
  keep(limits: readonly StoredLimit[]): void {
    this.#write(limits)
    this.spells.told(limits)
  }

  /** The clock was set since they were kept, and they run on, and end at another time of day; or they are over. */
  correct(limits: readonly CorrectedLimit[]): void {
    this.#write(limits)
    this.spells.corrected(limits)
    this.#pages.corrected(limits)
  }

  #write(limits: readonly StoredLimit[]): void {
    this.#sql.deleteEnded.run(this.#now())
    for (const limit of limits) {
      if (limit.until === 0) this.#sql.remove.run(limit)
      else if (limit.until > limit.receivedAt) this.#sql.upsert.run(limit)
    }
  }
}

const SQL = {
  remove: 'DELETE FROM limits WHERE public_key = @publicKey AND project = @project AND category = @category',
  deleteEnded: 'DELETE FROM limits WHERE until <= ?',
  upsert: `INSERT INTO limits (public_key, project, category, until, received_at, reason, scope, source_seq)
    SELECT @publicKey, @project, @category, @until, @receivedAt, @reason, @scope, @sourceSeq
      WHERE (SELECT count(*) FROM limits WHERE public_key = @publicKey AND project = @project AND category <> @category) < ${MOST_LIMITS}
    ON CONFLICT DO UPDATE SET until = excluded.until, received_at = excluded.received_at, reason = excluded.reason,
      scope = excluded.scope, source_seq = excluded.source_seq
    WHERE excluded.until > limits.until OR excluded.received_at < limits.received_at`,
} as const
