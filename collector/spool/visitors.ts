import type { Database, Statement } from 'better-sqlite3'
import type { Submission } from '../../lib/protocol/submission'
import type { VisitorDeleted } from '../../lib/wire/visitor'
import { prepareAll } from '../runtime/database'
import type { RowsOfRecords } from './disk/eviction'
import { OF_VISITORS } from './read/read-visitor'
import type { WriterCalls } from './writer-methods'

/** Deletions that are remembered, the newest. What arrives later and was sent before an older one is stored. */
export const MAX_VISITOR_DELETIONS = 10_000
/** Small, so that no append waits for a large deletion. */
const BATCH_RECORDS = 200

/** When visitors deleted their records, for what they sent before and what arrives afterwards. */
export class VisitorDeletions {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database) {
    this.#sql = prepareAll(db, SQL)
  }

  /** @param at ms since the epoch. */
  add(visitors: readonly string[], at: number): void {
    for (const visitor of visitors) this.#sql.upsert.run(PREFIX + visitor, String(at))
    this.#sql.trim.run(MAX_VISITOR_DELETIONS)
  }

  /** Whether its visitor deleted everything after it was sent: the time in a lifeboat counts from its arrival there. */
  includes({ receivedAt, facts }: Pick<Submission, 'receivedAt' | 'facts'>): boolean {
    if (facts.visitor === undefined) return false
    const deletedAt: unknown = this.#sql.find.pluck().get(PREFIX + facts.visitor)
    return deletedAt !== undefined && receivedAt - (facts.keptMs ?? 0) < Number(deletedAt)
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
  upsert: 'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  find: 'SELECT value FROM settings WHERE name = ?',
  trim: `DELETE FROM settings WHERE name IN (SELECT name FROM settings
    WHERE name > '${PREFIX}' AND name < '${PREFIX}~' ORDER BY CAST(value AS INTEGER) DESC LIMIT -1 OFFSET ?)`,
  records: `SELECT seq FROM submissions WHERE ${OF_VISITORS} AND seq <= @upTo ORDER BY seq LIMIT ${BATCH_RECORDS}`,
  countPosted: `SELECT count(DISTINCT seq) FROM deliveries
    WHERE seq IN (SELECT value FROM json_each(?)) AND (status BETWEEN 200 AND 299 OR maybe_delivered)`,
} as const

interface VisitorParts {
  readonly spool: Pick<WriterCalls, 'usage' | 'addVisitorDeletion' | 'visitorRecords' | 'clearVisitor' | 'noteCleared'>
  readonly rows: Pick<RowsOfRecords, 'erase'>
}

/** Lets no post of these records start any more. */
export type WithholdPosts = (seqs: readonly number[]) => {
  /** Resolves when the open posts of these records have ended, with their number. */
  readonly ended: Promise<number>
  /** Call it when the records are deleted; those that are still pending are posted then. */
  readonly release: () => void
}

/**
 * Deletes every record that some visitors have sent, with its rows; pending ones end as `dropped`, reason `visitor`. What
 * they sent before and what arrives later is dropped as well. @param at now, ms since the epoch.
 */
export async function deleteVisitor(
  { spool, rows }: VisitorParts,
  visitors: readonly string[],
  at: number,
  withhold: WithholdPosts,
): Promise<VisitorDeleted> {
  await spool.addVisitorDeletion(visitors, at)
  const upTo = (await spool.usage()).newest
  const done = { records: 0, dropped: 0, posted: 0, awaited: 0 }
  for (;;) {
    const seqs = await spool.visitorRecords(visitors, upTo)
    if (seqs.length === 0) break
    const posts = withhold(seqs)
    try {
      done.awaited += await posts.ended
      await rows.erase(seqs)
      const cleared = await spool.clearVisitor(seqs)
      done.records += seqs.length
      done.dropped += cleared.dropped
      done.posted += cleared.posted
    } finally {
      posts.release()
    }
  }
  await spool.noteCleared()
  return done
}
