import Database from 'better-sqlite3'
import { digestBatch } from '../../../collector/digest/digest-batch'
import { eraseBatch } from '../../../collector/digest/erase-batch'
import { RowEraser } from '../../../collector/store/erase'
import { createTables } from '../../../collector/store/schema'
import { RowWriter } from '../../../collector/store/write'
import type { SpoolRecord } from '../../../collector/walk/walk-record'
import { LIMITS } from '../../../lib/protocol/limits'

/** Rows as the digest thread makes them, in memory. */
export interface RowsInMemory {
  readonly db: Database.Database
  readonly digest: (records: readonly SpoolRecord[]) => void
  readonly erase: (records: readonly SpoolRecord[]) => void
}

export function rowsInMemory(): RowsInMemory {
  const db = new Database(':memory:')
  createTables(db, { from: 0, goal: 0, limits: '', at: 0 })
  const writer = new RowWriter(db)
  const eraser = new RowEraser(db)
  return {
    db,
    digest: (records) => {
      digestBatch(records, { db, writer, passedOver: new Set() }, () => 1, LIMITS)
    },
    erase: (records) =>
      eraseBatch(
        records.map(({ seq }) => seq),
        records,
        { db, eraser },
        LIMITS,
        (_record, why) => {
          throw why
        },
      ),
  }
}

export function rowsOf(records: readonly SpoolRecord[], batch = 64): RowsInMemory {
  const rows = rowsInMemory()
  for (let at = 0; at < records.length; at += batch) rows.digest(records.slice(at, at + batch))
  return rows
}

const BESIDE: ReadonlySet<string> = new Set(['digested_at'])

/** Every table but the cursor, every column but when it was digested, in the order of the contents. */
export function dump(
  db: Database.Database,
  leaveOut: ReadonlySet<string> = BESIDE,
): Readonly<Record<string, readonly string[]>> {
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'cursor' ORDER BY name")
    .pluck()
    .all() as string[]
  return Object.fromEntries(tables.map((table) => [table, contentsOf(db, table, leaveOut)]))
}

function contentsOf(db: Database.Database, table: string, leaveOut: ReadonlySet<string>): readonly string[] {
  const rows = db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]
  return rows
    .map((row) => JSON.stringify(Object.fromEntries(Object.entries(row).filter(([column]) => !leaveOut.has(column)))))
    .sort()
}
