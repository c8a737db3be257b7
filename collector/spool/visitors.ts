import type { Database, Statement } from 'better-sqlite3'
import type { Submission } from '../../lib/protocol/submission'
import { prepareAll } from '../runtime/database'
import { OF_VISITORS } from './read/read-visitor'
import { Settings } from './settings'

/** Deletions that are remembered, the newest. After an older one, late records are stored. */
export const MAX_VISITOR_DELETIONS = 10_000
/** Small, so that no append waits for a large deletion. */
export const BATCH_RECORDS = 200

/** Settings with this beginning tell when the visitor of a hash deleted everything, ms since the epoch. */
export const VISITOR_DELETED = 'visitor_deleted/'

/** The time in a lifeboat counts from the arrival there. @param at ms since the epoch */
export const wasSentBefore = ({ receivedAt, facts }: Pick<Submission, 'receivedAt' | 'facts'>, at: number): boolean =>
  receivedAt - (facts.keptMs ?? 0) < at

/** When visitors deleted their records, for what they sent before and what arrives afterwards. */
export class VisitorDeletions {
  readonly #settings: Settings
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database) {
    this.#settings = new Settings(db)
    this.#sql = prepareAll(db, SQL)
  }

  /** @param at ms since the epoch. */
  add(visitors: readonly string[], at: number): void {
    for (const visitor of visitors) this.#settings.save(VISITOR_DELETED + visitor, String(at))
    this.#sql.trim.run(MAX_VISITOR_DELETIONS)
  }

  /** Whether its visitor deleted everything after it was sent. */
  includes({ receivedAt, facts }: Pick<Submission, 'receivedAt' | 'facts'>): boolean {
    if (facts.visitor === undefined) return false
    const deletedAt = this.#settings.get(VISITOR_DELETED + facts.visitor)
    return deletedAt !== null && wasSentBefore({ receivedAt, facts }, Number(deletedAt))
  }

  /** The next records of some visitors, oldest first. */
  records(visitors: readonly string[], upTo: number): readonly number[] {
    return this.#sql.records.pluck().all({ visitors: JSON.stringify(visitors), upTo }) as number[]
  }

  /** How many of these upstream received, or may have received. */
  countPosted(seqs: readonly number[]): number {
    return Number(this.#sql.countPosted.pluck().get(JSON.stringify(seqs)))
  }
}

const SQL = {
  trim: `DELETE FROM settings WHERE name IN (SELECT name FROM settings
    WHERE name > '${VISITOR_DELETED}' AND name < '${VISITOR_DELETED}~' ORDER BY CAST(value AS INTEGER) DESC LIMIT -1 OFFSET ?)`,
  records: `SELECT seq FROM submissions WHERE ${OF_VISITORS} AND seq <= @upTo ORDER BY seq LIMIT ${BATCH_RECORDS}`,
  countPosted: `SELECT count(DISTINCT seq) FROM deliveries
    WHERE seq IN (SELECT value FROM json_each(?)) AND (status BETWEEN 200 AND 299 OR maybe_delivered)`,
} as const
