import type { Database } from 'better-sqlite3'
import type { JournalFact, JournalPage } from '../../lib/wire/journal'

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
