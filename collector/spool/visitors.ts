import type { Database, Statement } from 'better-sqlite3'
import type { Submission } from '../../lib/protocol/submission'
import { prepareAll } from '../runtime/database'
import { OF_VISITORS } from './read/read-visitor'
import { Settings } from './settings'

/** Deletions that are remembered, the newest. After an older one, late records are stored. */
export const MAX_VISITOR_DELETIONS = 10_000
/** Small, so that no append waits for a large deletion. */
const BATCH_RECORDS = 200

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
    for (const visitor of visitors) this.#settings.save(PREFIX + visitor, String(at))
    this.#sql.trim.run(MAX_VISITOR_DELETIONS)
  }

  /** Whether its visitor deleted everything after it was sent: the time in a lifeboat counts from its arrival there. */
  includes({ receivedAt, facts }: Pick<Submission, 'receivedAt' | 'facts'>): boolean {
    if (facts.visitor === undefined) return false
    const deletedAt = this.#settings.get(PREFIX + facts.visitor)
    return deletedAt !== null && receivedAt - (facts.keptMs ?? 0) < Number(deletedAt)
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

const PREFIX = 'visitor_deleted/'

const SQL = {
  trim: `DELETE FROM settings WHERE name IN (SELECT name FROM settings
    WHERE name > '${PREFIX}' AND name < '${PREFIX}~' ORDER BY CAST(value AS INTEGER) DESC LIMIT -1 OFFSET ?)`,
  records: `SELECT seq FROM submissions WHERE ${OF_VISITORS} AND seq <= @upTo ORDER BY seq LIMIT ${BATCH_RECORDS}`,
  countPosted: `SELECT count(DISTINCT seq) FROM deliveries
    WHERE seq IN (SELECT value FROM json_each(?)) AND (status BETWEEN 200 AND 299 OR maybe_delivered)`,
} as const
