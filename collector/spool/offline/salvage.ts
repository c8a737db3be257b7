import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { openForWriting } from '../../runtime/database'
import { isDamage } from '../../runtime/sqlite-errors'
import { BodyDamagedError, type CheckedRow, readBody } from '../record-body'
import { expectedTables, isVersionError, KEEP_LAB, migrate } from '../schema'
import { RowSalvage, readOr } from './salvage-rows'

export interface SalvageReport {
  /** Copied rows per table. */
  readonly rows: ReadonlyMap<string, number>
  /** Tables that could not be read as a whole. */
  readonly incomplete: readonly string[]
  /** Numbers of records on damaged pages. Some may have been evicted before. */
  readonly unreadable: readonly number[]
  /** Numbers of copied records whose checksum differs: they end as `damaged_record`. */
  readonly damaged: readonly number[]
  readonly pending: number
  /** Pending records and dead letters that could not be read. */
  readonly lostPending: number
  /** Records that had neither an outcome nor a pending row, and are pending again. */
  readonly pendingAgain: number
}

/** Bytes of a record besides its body and texts, as the writer counts them. */
const RECORD_OVERHEAD_BYTES = 512

/**
 * Copies all readable rows of `spool.db` to a new `spool.db` in another folder. The source is only read. The index is not
 * copied: the next start builds it.
 * @param from a data folder that no collector uses @param to an empty folder
 * @returns `null` when nothing could be read
 * @throws the system's error, such as a full disk
 */
export function salvageFolder(from: string, to: string): SalvageReport | null {
  // SQLite changes a file that it opens: it applies the log.
  const copy = join(to, 'salvage.db')
  for (const suffix of ['', '-wal'])
    if (existsSync(join(from, `spool.db${suffix}`))) copyFileSync(join(from, `spool.db${suffix}`), `${copy}${suffix}`)
  const target = openForWriting(join(to, 'spool.db'), 'FULL')
  let report: SalvageReport | null = null
  try {
    migrate(target)
    report = salvageCopy(copy, target)
    return report
  } finally {
    target.close()
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(`${copy}${suffix}`, { force: true })
      if (report === null) rmSync(join(to, `spool.db${suffix}`), { force: true })
    }
  }
}

function salvageCopy(path: string, target: Database): SalvageReport | null {
  const source = openDamaged(path)
  if (source === null) return null
  try {
    const report = copyTables(source, target)
    return [...report.rows.values()].some((rows) => rows > 0) ? report : null
  } finally {
    source.close()
  }
}

/** @returns `null` if it is no database, or its list of tables cannot be read. */
function openDamaged(path: string): Database | null {
  const db = new Sqlite(path)
  try {
    migrate(db)
  } catch (error) {
    // Of another version, or damaged: the columns that both versions have are copied.
    if (!isDamage(error) && !isVersionError(error)) throw error
  }
  const tables = readOr(() => db.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").pluck().get(), null)
  if (tables !== null) return db
  db.close()
  return null
}

function copyTables(source: Database, target: Database): SalvageReport {
  const salvage = new RowSalvage(source, target)
  const rows = new Map<string, number>()
  const incomplete: string[] = []
  const damaged: number[] = []
  let unreadable: readonly number[] = []
  for (const table of expectedTables().keys()) {
    // Migrations write rows of their own.
    target.exec(`DELETE FROM ${table}`)
    const result = salvage.copy<CheckedRow & { readonly seq: number }>(table, (row) => {
      if (table === 'submissions' && !isIntact(row)) damaged.push(row.seq)
    })
    rows.set(table, result.copied)
    if (!result.isComplete) incomplete.push(table)
    if (table === 'submissions') unreadable = result.unreadable
  }
  return target.transaction(() => {
    keepNumbers(source, target)
    // A damaged source may not have been migrated.
    target.exec(KEEP_LAB)
    const lostPending =
      target.prepare('DELETE FROM pending_deliveries WHERE seq NOT IN (SELECT seq FROM submissions)').run().changes +
      target.prepare('DELETE FROM dead_letters WHERE seq NOT IN (SELECT seq FROM submissions)').run().changes
    // With outcomes missing, a record that was delivered already would be posted twice.
    const pendingAgain = incomplete.includes('outcomes')
      ? 0
      : target.prepare(PENDING_AGAIN).run({ overhead: RECORD_OVERHEAD_BYTES }).changes
    target.exec(COUNT_PENDING)
    const pending = Number(target.prepare('SELECT count(*) FROM pending_deliveries').pluck().get())
    return { rows, incomplete, unreadable, damaged, pending, lostPending, pendingAgain }
  })()
}

/** Numbers are never given twice, also not those of rows that were lost. */
function keepNumbers(source: Database, target: Database): void {
  for (const [table, key] of [
    ['submissions', 'seq'],
    ['journal', 'n'],
  ] as const) {
    const sql = 'SELECT seq FROM sqlite_sequence WHERE name = ?'
    const given = Number(readOr(() => source.prepare(sql).pluck().get(table), 0) ?? 0)
    const copied = Number(target.prepare(`SELECT coalesce(max(${key}), 0) FROM ${table}`).pluck().get())
    target.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table)
    target.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, Math.max(given, copied))
  }
}

function isIntact(row: CheckedRow): boolean {
  try {
    readBody(row)
    return true
  } catch (error) {
    if (error instanceof BodyDamagedError || isDamage(error)) return false
    throw error
  }
}

/** A record that is no copy has an outcome, or it is pending or a dead letter. */
const PENDING_AGAIN = `INSERT INTO pending_deliveries (seq, public_key, project, ran_at, stored_bytes)
  SELECT seq, public_key, project, coalesce((SELECT value FROM counters WHERE name = 'ran_ms'), 0),
    length(body) + length(facts) + length(quantities) + @overhead
  FROM submissions WHERE endpoint <> 'stream' AND seq NOT IN (SELECT seq FROM outcomes)
    AND seq NOT IN (SELECT seq FROM pending_deliveries) AND seq NOT IN (SELECT seq FROM dead_letters)`

/** Counts the pending items again; the other totals stay, so that what was lost shows as unexplained. */
const COUNT_PENDING = `DELETE FROM ledger_totals WHERE entry = 'pending';
  INSERT INTO ledger_totals (category, entry, reason, quantity, items)
    SELECT json_extract(q.value, '$[0]'), 'pending', '', sum(json_extract(q.value, '$[1]')), count(*)
    FROM submissions s, json_each(CASE WHEN json_valid(s.quantities) THEN s.quantities ELSE '[]' END) q
    WHERE s.seq IN (SELECT seq FROM pending_deliveries UNION SELECT seq FROM dead_letters)
    GROUP BY 1`
