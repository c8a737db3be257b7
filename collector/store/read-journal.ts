import type { Database } from 'better-sqlite3'
import type { Item, ItemsPage, JournalFact, JournalPage } from '../../lib/wire/journal'

/** Number of the newest fact; 0 when nothing ever happened. */
export function journalHead(db: Database): number {
  return Number(db.prepare("SELECT seq FROM spool.sqlite_sequence WHERE name = 'journal'").pluck().get() ?? 0)
}

/** Facts after a number, oldest first. */
export function readJournal(db: Database, after: number, limit: number): JournalPage {
  const facts = db
    .prepare('SELECT n, at, kind, seq FROM spool.journal WHERE n > ? ORDER BY n LIMIT ?')
    .all(after, limit) as JournalFact[]
  return { facts, journal: journalHead(db) }
}

/** Digested items of submissions that were received after a number, oldest first. */
export function readItems(
  db: Database,
  after: number,
  filter: { readonly type: string | null; readonly stamp: string | null },
  limit: number,
): ItemsPage {
  const items = db
    .prepare(
      `SELECT i.journal AS journal, i.seq AS seq, i.item AS "index", i.type AS type, i.trace_id AS traceId, i.event_id AS eventId,
         e.stamp AS stamp
       FROM items i JOIN envelopes e USING (seq)
       WHERE i.journal > @after AND (@type IS NULL OR i.type = @type) AND (@stamp IS NULL OR e.stamp = @stamp)
       ORDER BY i.journal, i.item LIMIT @limit`,
    )
    .all({ after, ...filter, limit }) as Item[]
  return { items, journal: journalHead(db) }
}
