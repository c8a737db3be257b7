import type { Database } from 'better-sqlite3'
import type { JournalFact, JournalPage } from '../../../lib/wire/journal'

export function journalHead(db: Database): number {
  return Number(db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'journal'").pluck().get() ?? 0)
}

/** Facts after a number, oldest first. Old facts are deleted: `oldest` is the first that is kept. */
export function readJournal(db: Database, after: number, limit: number): JournalPage {
  const facts = db
    .prepare('SELECT n, at, kind, seq FROM journal WHERE n > ? ORDER BY n LIMIT ?')
    .all(after, limit) as JournalFact[]
  const oldest = Number(db.prepare('SELECT min(n) FROM journal').pluck().get() ?? 0)
  return { facts, next: facts.at(-1)?.n ?? after, oldest }
}
