import type { Database } from 'better-sqlite3'
import type { Discard, StoredLimit } from '../spool/submission'

/** Stretches of being limited that are looked at, of all projects together. */
const MAX_PERIODS = 1000
const MAX_PAGES = 200

/** A stretch of time in which a category was limited. */
export interface LimitPeriod {
  readonly publicKey: string
  readonly project: string
  readonly category: string
  readonly scope: string | null
  readonly reason: string | null
  readonly sourceSeq: number | null
  readonly receivedAt: number
  /** As told last, which a clock that was set since may contradict. */
  readonly until: number
  readonly cut: number
}

/** What a page was told, and the first that came from it while the limit ran and when it had ended. */
export interface PageLimitRow {
  readonly publicKey: string
  readonly project: string
  readonly page: string
  readonly category: string
  readonly sentAt: number
  readonly until: number
  readonly sentWith: number
  readonly violatedSeq: number | null
  readonly violatedAt: number | null
  readonly resumedSeq: number | null
  readonly resumedAt: number | null
}

export interface LimitHistory {
  /** The newest first. */
  readonly periods: readonly LimitPeriod[]
  /** The last told first. */
  readonly pages: readonly PageLimitRow[]
  /** Answers that told a limit to somebody who names no page. */
  readonly unnamed: number
}

/** What upstreams limited so far, and what pages made of it. */
export function readLimitHistory(db: Database): LimitHistory {
  const unnamed: unknown = db.prepare("SELECT value FROM spool.counters WHERE name = 'sent_unnamed'").pluck().get()
  return {
    periods: db.prepare(PERIODS).all() as LimitPeriod[],
    pages: db.prepare(PAGES).all() as PageLimitRow[],
    unnamed: Number(unnamed ?? 0),
  }
}

/** Limits as they are stored, those that are over among them: what is over, the book decides. */
export const readStoredLimits = (db: Database): readonly StoredLimit[] => db.prepare(STORED).all() as StoredLimit[]

/** What was cut of one key's and project's records and is not told upstream yet. */
export const readUnreported = (db: Database, publicKey: string, project: string): readonly Discard[] =>
  db.prepare(UNREPORTED).all(publicKey, project) as Discard[]

const STORED = `SELECT public_key AS publicKey, project, category, until, received_at AS receivedAt, reason, scope, source_seq AS sourceSeq
  FROM spool.limits ORDER BY until DESC`
const PERIODS = `SELECT public_key AS publicKey, project, category, scope, reason, source_seq AS sourceSeq, received_at AS receivedAt, until, cut
  FROM spool.limit_periods ORDER BY id DESC LIMIT ${MAX_PERIODS}`
const PAGES = `SELECT public_key AS publicKey, project, page, category, sent_at AS sentAt, until, sent_with AS sentWith,
    violated_seq AS violatedSeq, violated_at AS violatedAt, resumed_seq AS resumedSeq, resumed_at AS resumedAt
  FROM spool.page_limits ORDER BY sent_at DESC LIMIT ${MAX_PAGES}`
const UNREPORTED = `SELECT reason, category, quantity FROM spool.unreported
  WHERE public_key = ? AND project = ? AND quantity > 0 ORDER BY reason, category`
