import type { Database } from 'better-sqlite3'
import type { Item, ItemsPage, JournalFact, JournalPage } from '../../lib/wire/journal'

/** Number of the newest fact; 0 when nothing ever happened. */
export function journalHead(db: Database): number {
  return Number(db.prepare("SELECT seq FROM spool.sqlite_sequence WHERE name = 'journal'").pluck().get() ?? 0)
}

/** Facts after a number, oldest first, as far as they are kept. */
export function readJournal(db: Database, after: number, limit: number): JournalPage {
  const facts = db
    .prepare('SELECT n, at, kind, seq FROM spool.journal WHERE n > ? ORDER BY n LIMIT ?')
    .all(after, limit) as JournalFact[]
  const oldest = Number(db.prepare('SELECT min(n) FROM spool.journal').pluck().get() ?? 0)
  return { facts, next: facts.at(-1)?.n ?? after, oldest }
}

/**
 * Digested items of submissions that were received after a number, oldest first. The cursor is the submission's number,
 * so a page ends between submissions; one that alone is longer than a page is given whole.
 */
export function readItems(
  db: Database,
  after: number,
  filter: { readonly type: string | null; readonly stamp: string | null },
  limit: number,
): ItemsPage {
  const numbers = db
    .prepare(
      `SELECT i.journal FROM items i JOIN envelopes e USING (seq)
       WHERE i.journal > @after AND (@type IS NULL OR i.type = @type) AND (@stamp IS NULL OR e.stamp = @stamp)
       ORDER BY i.journal, i.item LIMIT @limit + 1`,
    )
    .pluck()
    .all({ after, ...filter, limit }) as number[]
  const [first] = numbers
  if (first === undefined) return { items: [], next: after }
  const cut = numbers.length > limit ? Math.max(first, (numbers.at(-1) ?? first) - 1) : Number.MAX_SAFE_INTEGER
  const items = db
    .prepare(
      `SELECT i.journal AS journal, i.seq AS seq, i.item AS "index", i.type AS type, i.trace_id AS traceId, i.event_id AS eventId,
         e.stamp AS stamp
       FROM items i JOIN envelopes e USING (seq)
       WHERE i.journal > @after AND i.journal <= @cut AND (@type IS NULL OR i.type = @type) AND (@stamp IS NULL OR e.stamp = @stamp)
       ORDER BY i.journal, i.item`,
    )
    .all({ after, cut, ...filter }) as Item[]
  return { items, next: items.at(-1)?.journal ?? after }
}
