import { statSync } from 'node:fs'
import { platform } from 'node:process'
import Database from 'better-sqlite3'
import { DatabaseDamagedError, isDamage, isMissingTable } from './sqlite-errors'

/** Older SQLite can corrupt a WAL database that is checkpointed while it is written. */
const OLDEST_SQLITE = [3, 51, 3] as const

/** A post waits for two batches at most, which ends before the tunnel's timeout of 5 s. */
const WRITER_TIMEOUT_MS = 2000
const TIMEOUT_MS = 5000

/** The file of the write-ahead log keeps this size after a checkpoint. */
export const WAL_KEPT_BYTES = 16 * 1024 * 1024

/**
 * A deflated envelope of 2 to 4 KB leaves a third of a 4 KiB page empty: 220,000 measured envelopes took 847 MB in such
 * pages and 627 MB in these. Rows of the index are small and keep 4 KiB.
 */
const RECORD_PAGE_BYTES = 8192

/** Page cache of each of seven connections. The kernel caches the files too; SQLite's own 16 MiB each would fill in time. */
const CACHE_KIB = 4096

/**
 * @param durability `FULL` syncs the log at each commit; `NORMAL` is for files that can be rebuilt.
 * @throws when a pragma does not read back as it was set: it would break a promise silently.
 */
export function openForWriting(path: string, durability: 'FULL' | 'NORMAL'): Database.Database {
  const isRecord = durability === 'FULL'
  const db = new Database(path, { timeout: isRecord ? WRITER_TIMEOUT_MS : TIMEOUT_MS })
  refuseOldSqlite(db)
  // Has no effect on a file that exists.
  if (isRecord) db.pragma(`page_size = ${RECORD_PAGE_BYTES}`)
  setPragma(db, 'journal_mode', 'WAL', 'wal')
  setPragma(db, 'synchronous', durability, isRecord ? 2 : 1)
  // Without a limit the log's file stays as large as one long read once made it.
  setPragma(db, 'journal_size_limit', WAL_KEPT_BYTES, WAL_KEPT_BYTES)
  // `Checkpointer` checkpoints between commits, so that no answer waits for it.
  setPragma(db, 'wal_autocheckpoint', 0, 0)
  setPragma(db, 'cache_size', -CACHE_KIB, -CACHE_KIB)
  // Otherwise pages of a savepoint are written to a file outside the data folder.
  setPragma(db, 'temp_store', 'MEMORY', 2)
  if (platform === 'darwin' && isRecord) {
    // On macOS fsync does not reach the platter; F_FULLFSYNC does.
    setPragma(db, 'fullfsync', 1, 1)
    setPragma(db, 'checkpoint_fullfsync', 1, 1)
  }
  return db
}

export function openForReading(path: string): Database.Database {
  const db = new Database(path, { readonly: true, fileMustExist: true, timeout: TIMEOUT_MS })
  setPragma(db, 'cache_size', -CACHE_KIB, -CACHE_KIB)
  return db
}

function setPragma(db: Database.Database, name: string, value: string | number, readsBack: string | number): void {
  db.pragma(`${name} = ${value}`)
  const found: unknown = db.pragma(name, { simple: true })
  if (found !== readsBack)
    throw new Error(`PRAGMA ${name} = ${value} had no effect: SQLite reads back ${String(found)}`)
}

function refuseOldSqlite(db: Database.Database): void {
  const version = String(db.prepare('SELECT sqlite_version()').pluck().get())
  const parts = version.split('.').map(Number)
  for (const [index, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[index] ?? 0
    if (part > oldest) return
    if (part < oldest)
      throw new Error(
        `SQLite ${version} is older than ${OLDEST_SQLITE.join('.')}; install better-sqlite3 12.11 or newer`,
      )
  }
}

/** Every start reads these anyway: checking large ones takes minutes. Before schema 6 the last two had these names. */
const SMALL_TABLES = [
  'pending_deliveries',
  'ledger_totals',
  'refusals',
  'refused_paths',
  'settings',
  'limits',
  'counters',
  'owed',
  'books',
]

/** @throws DatabaseDamagedError with what is wrong with the length of the file, or with its small tables. */
export function checkForDamage(db: Database.Database, path: string): void {
  const pages = Number(db.pragma('page_count', { simple: true }))
  const pageSize = Number(db.pragma('page_size', { simple: true }))
  const length = sizeOf(path) + sizeOf(`${path}-wal`)
  if (pages * pageSize > length)
    throw new DatabaseDamagedError(`database disk image is malformed: it has ${length} bytes of ${pages * pageSize}`)
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  for (const table of SMALL_TABLES.filter((name) => tables.includes(name))) {
    const found = db.prepare(`PRAGMA quick_check(${table})`).pluck().all().map(String)
    if (found.some((line) => line !== 'ok'))
      throw new DatabaseDamagedError(`database disk image is malformed: ${found.slice(0, 3).join('; ')}`)
  }
}

/** Bytes of a file; 0 if it does not exist. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** The number of a file in its file system; `null` if there is none. A file that replaces it has another one. */
export const fileNumber = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.ino ?? null

export function prepareAll<Name extends string>(
  db: Database.Database,
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, Database.Statement>> {
  return Object.fromEntries((Object.keys(texts) as Name[]).map((name) => [name, db.prepare(texts[name])])) as Record<
    Name,
    Database.Statement
  >
}

const prepared = new WeakMap<Database.Database, Map<string, Database.Statement>>()

/** @param sql one of a fixed set, without text of users: statements are kept as long as the connection. */
export function prepareOnce(db: Database.Database, sql: string): Database.Statement {
  const statements = prepared.get(db) ?? new Map<string, Database.Statement>()
  prepared.set(db, statements)
  const known = statements.get(sql) ?? db.prepare(sql)
  statements.set(sql, known)
  return known
}

/**
 * Gives functions that read a database its connection of the moment.
 * @param damageOf the error to throw for damaged pages and missing tables
 */
export const readsOf =
  (connection: () => Database.Database, damageOf: (error: Error) => Error) =>
  <Args extends readonly unknown[], Value>(read: (db: Database.Database, ...args: Args) => Value) =>
  (...args: Args): Value => {
    try {
      return read(connection(), ...args)
    } catch (error) {
      throw error instanceof Error && (isDamage(error) || isMissingTable(error)) ? damageOf(error) : error
    }
  }
