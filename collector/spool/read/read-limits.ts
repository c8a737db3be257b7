import type { Database } from 'better-sqlite3'
import type { Discard } from '../../../lib/protocol/submission'
import type { StoredLimit } from '../submission'

/** Limit periods in one answer, of all projects together. */
const MAX_PERIODS = 1000
const MAX_PAGES = 200

export interface LimitPeriod {
  readonly publicKey: string
  readonly project: string
  readonly category: string
  readonly scope: string | null
  readonly reason: string | null
  readonly sourceSeq: number | null
  readonly receivedAt: number
  /** The last announced end, ms since the epoch. May lie before `receivedAt` when the clock was changed. */
  readonly until: number
  readonly cut: number
}

/** A limit that a page was sent, with the first submission from it during the limit and the first one after it. */
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
  readonly periods: readonly LimitPeriod[]
  readonly pages: readonly PageLimitRow[]
  /** Answers with a limit to clients that do not send the page header. */
  readonly unnamed: number
}

/** The limits of all upstreams so far, and how pages kept them. */
export function readLimitHistory(db: Database): LimitHistory {
  const unnamed: unknown = db.prepare("SELECT value FROM counters WHERE name = 'sent_unnamed'").pluck().get()
  return {
    periods: db.prepare(PERIODS).all() as LimitPeriod[],
    pages: db.prepare(PAGES).all() as PageLimitRow[],
    unnamed: Number(unnamed ?? 0),
  }
}

/** All stored limits, expired ones included: `RateLimits` checks the time. */
export const readStoredLimits = (db: Database): readonly StoredLimit[] => db.prepare(STORED).all() as StoredLimit[]

/** Items left out of the deliveries of one key and project that no client report to upstream has counted yet. */
export const readUnreported = (db: Database, publicKey: string, project: string): readonly Discard[] =>
  db.prepare(UNREPORTED).all(publicKey, project) as Discard[]

const STORED = `SELECT public_key AS publicKey, project, category, until, received_at AS receivedAt, reason, scope, source_seq AS sourceSeq
  FROM limits ORDER BY until DESC`
const PERIODS = `SELECT public_key AS publicKey, project, category, scope, reason, source_seq AS sourceSeq, received_at AS receivedAt, until, cut
  FROM limit_periods ORDER BY id DESC LIMIT ${MAX_PERIODS}`
const PAGES = `SELECT public_key AS publicKey, project, page, category, sent_at AS sentAt, until, sent_with AS sentWith,
    violated_seq AS violatedSeq, violated_at AS violatedAt, resumed_seq AS resumedSeq, resumed_at AS resumedAt
  FROM page_limits ORDER BY sent_at DESC LIMIT ${MAX_PAGES}`
const UNREPORTED = `SELECT reason, category, quantity FROM unreported
  WHERE public_key = ? AND project = ? AND quantity > 0 ORDER BY reason, category`
