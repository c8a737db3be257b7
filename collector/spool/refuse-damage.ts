import type { Database } from 'better-sqlite3'
import { sizeOf } from './size-of'

/** What every start reads anyway. The large tables are judged when they are read: a start must not wait for a gigabyte. */
const SMALL_TABLES = ['pending_deliveries', 'ledger_totals', 'refusals', 'settings', 'limits', 'counters']

/**
 * Looks at a record before anything is written to it: is its file as long as it says, and are the small tables whole?
 * @throws what it found; the words are SQLite's or its own "malformed", so that it is told as damage.
 */
export function refuseDamage(db: Database, path: string): void {
  const pages = Number(db.pragma('page_count', { simple: true }))
  const pageSize = Number(db.pragma('page_size', { simple: true }))
  const length = sizeOf(path) + sizeOf(`${path}-wal`)
  if (pages * pageSize > length)
    throw new Error(`database disk image is malformed: it has ${length} bytes of ${pages * pageSize}`)
  const there = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  for (const table of SMALL_TABLES.filter((name) => there.includes(name))) {
    const found = db.prepare(`PRAGMA quick_check(${table})`).pluck().all().map(String)
    if (found.some((line) => line !== 'ok'))
      throw new Error(`database disk image is malformed: ${found.slice(0, 3).join('; ')}`)
  }
}
