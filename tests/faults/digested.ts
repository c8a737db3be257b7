import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Whether the rows of a running collector cover every envelope on its record. */
export function isDigested(folder: string): boolean {
  const last = numberIn(join(folder, 'spool.db'), "SELECT seq FROM sqlite_sequence WHERE name = 'submissions'")
  return numberIn(join(folder, 'telemetry.db'), 'SELECT seq FROM cursor') >= last
}

function numberIn(path: string, sql: string): number {
  const db = new Database(path, { readonly: true })
  try {
    return Number(db.prepare(sql).pluck().get() ?? 0)
  } finally {
    db.close()
  }
}
