import type { Database, Statement } from 'better-sqlite3'
import { ALL, limitAppliesTo } from '../../lib/protocol/rate-limits'
import { prepareAll } from '../runtime/database'
import type { UpstreamKey } from './deliveries'
import type { PageLimits } from './page-limits'
import { readQuantities } from './stored-content'
import {
  type CorrectedLimit,
  type DecidedItem,
  EVERY_ITEM,
  MAX_LIMITS_PER_PROJECT,
  type StoredLimit,
} from './submission'

export class UpstreamLimits {
  readonly periods: LimitPeriods
  readonly #now: () => number
  readonly #pages: PageLimits
  readonly #sql: Readonly<Record<keyof typeof LIMIT_SQL, Statement>>

  constructor(db: Database, { now, pages }: { readonly now: () => number; readonly pages: PageLimits }) {
    this.periods = new LimitPeriods(db, now)
    this.#now = now
    this.#pages = pages
    this.#sql = prepareAll(db, LIMIT_SQL)
  }

  /** The longer limit holds; after the clock was set back the later one: the other end is a time of the old clock. */
  store(limits: readonly StoredLimit[]): void {
    this.#write(limits)
    this.periods.add(limits)
  }

  correct(limits: readonly CorrectedLimit[]): void {
    this.#write(limits)
    this.periods.correct(limits)
    this.#pages.correct(limits)
  }

  #write(limits: readonly StoredLimit[]): void {
    this.#sql.deleteEnded.run(this.#now())
    for (const limit of limits) {
      if (limit.until === 0) this.#sql.remove.run(limit)
      else if (limit.until > limit.receivedAt) this.#sql.upsert.run(limit)
    }
  }
}

const LIMIT_SQL = {
  remove: 'DELETE FROM limits WHERE public_key = @publicKey AND project = @project AND category = @category',
  deleteEnded: 'DELETE FROM limits WHERE until <= ?',
  upsert: `INSERT INTO limits (public_key, project, category, until, received_at, reason, scope, source_seq)
    SELECT @publicKey, @project, @category, @until, @receivedAt, @reason, @scope, @sourceSeq
      WHERE (SELECT count(*) FROM limits WHERE public_key = @publicKey AND project = @project AND category <> @category) < ${MAX_LIMITS_PER_PROJECT}
    ON CONFLICT DO UPDATE SET until = excluded.until, received_at = excluded.received_at, reason = excluded.reason,
      scope = excluded.scope, source_seq = excluded.source_seq
    WHERE excluded.until > limits.until OR excluded.received_at < limits.received_at`,
} as const

/** Periods kept per project, ended and running. */
const MAX_PERIODS = 200
/** A limit that ended at most this long ago may have caused an item to be cut that is settled only now. */
const SETTLED_WITHIN_MS = 60_000
const LIMITED = 'limited'

/** A period lasts from the first answer to the last end, with the quantity cut meanwhile. */
class LimitPeriods {
  readonly #now: () => number
  readonly #sql: Readonly<Record<keyof typeof PERIOD_SQL, Statement>>

  constructor(db: Database, now: () => number) {
    this.#now = now
    this.#sql = prepareAll(db, PERIOD_SQL)
  }

  /** A limit that is received while one of its category runs prolongs the period; otherwise a new period begins. */
  add(limits: readonly StoredLimit[]): void {
    for (const limit of limits) {
      if (limit.until <= limit.receivedAt) continue
      const last = this.#last(limit)
      if (last !== undefined && last.until > limit.receivedAt) this.#sql.prolong.run({ ...limit, id: last.id })
      else this.#sql.insert.run(limit)
      this.#sql.trim.run(limit)
    }
  }

  /** The clock was set while they ran: their periods continue, with times of the new clock. */
  correct(limits: readonly CorrectedLimit[]): void {
    for (const limit of limits) {
      const last = limit.until <= limit.receivedAt ? undefined : this.#last(limit)
      if (last !== undefined) this.#sql.correct.run({ ...limit, id: last.id })
    }
  }

  /**
   * Adds what a decision cut to the period of the limit that caused it.
   * @param at of a decision that is read later than those after it, ms since the epoch
   */
  addCut(upstream: UpstreamKey, seq: number, decision: readonly DecidedItem[], at: number | null = null): void {
    const cut = decision.filter(({ outcome, reason }) => outcome === 'rate_limited' && reason === LIMITED)
    if (cut.length === 0) return
    const running = this.#sql.running.all({
      publicKey: upstream.publicKey,
      project: upstream.project,
      since: (at ?? this.#now()) - SETTLED_WITHIN_MS,
      upTo: at ?? Number.MAX_SAFE_INTEGER,
    }) as Period[]
    const record = this.#sql.record.get(seq) as { readonly quantities: string }
    const quantities = readQuantities(record.quantities)
    for (const { item } of cut)
      for (const { category, quantity } of item === EVERY_ITEM ? quantities : quantities.slice(item, item + 1)) {
        const period = closestTo(category, running)
        if (period !== undefined) this.#sql.addCut.run(quantity, period.id)
      }
  }

  #last(limit: StoredLimit): { readonly id: number; readonly until: number } | undefined {
    return this.#sql.last.get(limit) as { readonly id: number; readonly until: number } | undefined
  }
}

interface Period {
  readonly id: number
  readonly category: string
}

/** The limit of the category itself, else one that includes it, else the limit of all categories. */
const closestTo = (category: string, periods: readonly Period[]): Period | undefined =>
  periods.find((period) => period.category === category) ??
  periods.find((period) => period.category !== ALL && limitAppliesTo(period.category, category)) ??
  periods.find((period) => period.category === ALL)

const OF_PROJECT = 'public_key = @publicKey AND project = @project'
const PERIOD_SQL = {
  last: `SELECT id, until FROM limit_periods WHERE ${OF_PROJECT} AND category = @category ORDER BY id DESC LIMIT 1`,
  // A limit that was received earlier than the first: the clock was set back, and the old end is a time of the old clock.
  prolong: `UPDATE limit_periods SET
      until = CASE WHEN @receivedAt < received_at THEN @until ELSE max(until, @until) END,
      received_at = min(received_at, @receivedAt), scope = @scope, reason = @reason
    WHERE id = @id`,
  correct: 'UPDATE limit_periods SET until = @until, received_at = min(received_at, @receivedAt) WHERE id = @id',
  insert: `INSERT INTO limit_periods (public_key, project, category, scope, reason, source_seq, received_at, until)
    VALUES (@publicKey, @project, @category, @scope, @reason, @sourceSeq, @receivedAt, @until)`,
  trim: `DELETE FROM limit_periods WHERE ${OF_PROJECT} AND id <=
    (SELECT id FROM limit_periods WHERE ${OF_PROJECT} ORDER BY id DESC LIMIT 1 OFFSET ${MAX_PERIODS})`,
  running: `SELECT id, category FROM limit_periods WHERE ${OF_PROJECT} AND until > @since AND received_at <= @upTo ORDER BY id DESC`,
  record: 'SELECT quantities FROM submissions WHERE seq = ?',
  addCut: 'UPDATE limit_periods SET cut = cut + ? WHERE id = ?',
} as const
