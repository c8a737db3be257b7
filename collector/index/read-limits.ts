import type { Database } from 'better-sqlite3'
import type { Discard, StoredLimit } from '../spool/submission'

/** Stretches of being limited that are looked at, of all projects together. */
const MOST_SPELLS = 1000
const MOST_PAGES = 200

/** A stretch of time in which a category was limited. */
export interface LimitSpell {
  readonly publicKey: string
  readonly project: string
  readonly category: string
  readonly scope: string | null
  readonly reason: string | null
  readonly toldBy: number | null
  readonly toldAt: number
  /** As told last, which a clock that was set since may contradict. */
  readonly until: number
  readonly cut: number
}

/** What a page was told, and the first that came from it while the limit ran and when it had ended. */
export interface ToldPageRow {
  readonly publicKey: string
  readonly project: string
  readonly page: string
  readonly category: string
  readonly toldAt: number
  readonly until: number
  readonly toldWith: number
  readonly brokeSeq: number | null
  readonly brokeAt: number | null
  readonly resumedSeq: number | null
  readonly resumedAt: number | null
}

export interface LimitHistory {
  /** The newest first. */
  readonly spells: readonly LimitSpell[]
  /** The last told first. */
  readonly pages: readonly ToldPageRow[]
  /** Answers that told a limit to somebody who names no page. */
  readonly unnamed: number
}

/** What upstreams limited so far, and what pages made of it. */
export function readLimitHistory(db: Database): LimitHistory {
  const unnamed: unknown = db.prepare("SELECT value FROM spool.counters WHERE name = 'told_unnamed'").pluck().get()
  return {
    spells: db.prepare(SPELLS).all() as LimitSpell[],
    pages: db.prepare(PAGES).all() as ToldPageRow[],
    unnamed: Number(unnamed ?? 0),
  }
}

/** Limits as they are stored, those that are over among them: what is over, the book decides. */
export const readStoredLimits = (db: Database): readonly StoredLimit[] => db.prepare(STORED).all() as StoredLimit[]

/** What was cut of one key's and project's records and is not told upstream yet. */
export const readUnreported = (db: Database, publicKey: string, project: string): readonly Discard[] =>
  db.prepare(UNREPORTED).all(publicKey, project) as Discard[]

const STORED = `SELECT public_key AS publicKey, project, category, until, told_at AS toldAt, reason, scope, told_by AS toldBy
  FROM spool.limits ORDER BY until DESC`
const SPELLS = `SELECT public_key AS publicKey, project, category, scope, reason, told_by AS toldBy, told_at AS toldAt, until, cut
  FROM spool.limit_spells ORDER BY id DESC LIMIT ${MOST_SPELLS}`
const PAGES = `SELECT public_key AS publicKey, project, page, category, told_at AS toldAt, until, told_with AS toldWith,
    broke_seq AS brokeSeq, broke_at AS brokeAt, resumed_seq AS resumedSeq, resumed_at AS resumedAt
  FROM spool.told_pages ORDER BY told_at DESC LIMIT ${MOST_PAGES}`
const UNREPORTED = `SELECT reason, category, quantity FROM spool.unreported
  WHERE public_key = ? AND project = ? AND quantity > 0 ORDER BY reason, category`
