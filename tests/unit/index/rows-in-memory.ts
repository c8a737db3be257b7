import Database from 'better-sqlite3'
import { digestBatch, eraseBatch } from '../../../collector/index/digest-batch'
import { createTables } from '../../../collector/index/index-schema'
import { RowWriter } from '../../../collector/index/rows/write-rows'
import type { SubmissionRow } from '../../../collector/spool/read/read-submissions'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'

/** An index in memory, written as the digest thread does. */
export interface RowsInMemory {
  readonly db: Database.Database
  readonly digest: (records: readonly SubmissionRow[]) => void
  readonly erase: (records: readonly SubmissionRow[]) => void
}

export function rowsInMemory(): RowsInMemory {
  const db = new Database(':memory:')
  createTables(db, { from: 0, goal: 0, limits: '', at: 0 })
  const writer = new RowWriter(db)
  return {
    db,
    digest: (records) => {
      digestBatch(records, { db, writer, skipped: new Set() }, () => 1, SIZE_LIMITS)
    },
    erase: (records) =>
      eraseBatch(
        records.map(({ seq }) => seq),
        { db, writer },
      ),
  }
}

export function rowsOf(records: readonly SubmissionRow[], batch = 64): RowsInMemory {
  const rows = rowsInMemory()
  for (let at = 0; at < records.length; at += batch) rows.digest(records.slice(at, at + batch))
  return rows
}

/** Everything in an index of these records. */
export const rowsOfRecords = (records: readonly SubmissionRow[]): ReturnType<typeof dump> => dump(rowsOf(records).db)

const CLOCK_COLUMNS: ReadonlySet<string> = new Set(['digested_at'])

/**
 * Every table except the cursor, every column except the digest time, sorted by content. The internal tables of FTS5
 * depend on the order of writes, so a table of terms is dumped as its matches.
 */
export function dump(
  db: Database.Database,
  leaveOut: ReadonlySet<string> = CLOCK_COLUMNS,
): Readonly<Record<string, readonly string[]>> {
  const tables = db
    .prepare("SELECT name, sql LIKE 'CREATE VIRTUAL%' AS isIndex FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all() as { name: string; isIndex: number }[]
  const indexes = tables.filter(({ isIndex }) => isIndex === 1)
  const isBehind = (table: string): boolean => indexes.some(({ name }) => table.startsWith(`${name}_`))
  return Object.fromEntries(
    tables
      .filter(({ name }) => name !== 'cursor' && !isBehind(name))
      .map(({ name, isIndex }) => [name, isIndex === 1 ? answersOf(db, name) : contentsOf(db, name, leaveOut)]),
  )
}

function answersOf(db: Database.Database, index: string): readonly string[] {
  db.exec(`CREATE VIRTUAL TABLE temp.answers USING fts5vocab('main', '${index}', 'instance')`)
  const answers = db.prepare("SELECT term || ' ' || doc FROM temp.answers").pluck().all() as string[]
  db.exec('DROP TABLE temp.answers')
  return answers.sort()
}

function contentsOf(db: Database.Database, table: string, leaveOut: ReadonlySet<string>): readonly string[] {
  const rows = db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]
  return rows
    .map((row) => JSON.stringify(Object.fromEntries(Object.entries(row).filter(([column]) => !leaveOut.has(column)))))
    .sort()
}
