import { platform } from 'node:process'
import Database from 'better-sqlite3'

/** Older SQLite can corrupt a WAL database that is checkpointed while it is written. */
const OLDEST_SQLITE = [3, 51, 3] as const

/**
 * For so long the record's writer waits for another program that holds the file. Whoever posts waits for two batches at
 * most: that is over before the tunnel loses its timeout.
 */
const TIMEOUT_MS = 2000

/** The log's file keeps so much for what comes next. */
export const LOG_KEPT_BYTES = 16 * 1024 * 1024

/**
 * A deflated envelope of 2 to 4 KB has a page of 4 KiB to itself, and leaves a third of it empty: measured on 220,000, the
 * record took 847 MB in such pages and 627 MB in larger ones. Rows are small, and keep SQLite's own 4 KiB.
 */
const RECORD_PAGE_BYTES = 8192

/** Of pages per connection: there are seven, the kernel caches the files too, and the library's own 16 MiB each fill in time. */
const CACHE_KIB = 4096

/**
 * Opens a database for its one writer. A pragma that does not read back as set would break a promise silently, so it
 * stops the program instead.
 * @param durability `FULL` syncs the log at each commit ("200 means it is on disk"); `NORMAL` is for what can be made again.
 */
export function openForWriting(path: string, durability: 'FULL' | 'NORMAL'): Database.Database {
  const db = new Database(path, { timeout: durability === 'FULL' ? TIMEOUT_MS : 5000 })
  refuseOldSqlite(db)
  // Of a file that is there already it changes nothing.
  if (durability === 'FULL') db.pragma(`page_size = ${RECORD_PAGE_BYTES}`)
  hold(db, 'journal_mode', 'WAL', 'wal')
  hold(db, 'synchronous', durability, durability === 'FULL' ? 2 : 1)
  // Left alone the log keeps its largest size for ever: what one long read made it is given back once that has gone.
  hold(db, 'journal_size_limit', LOG_KEPT_BYTES, LOG_KEPT_BYTES)
  // Folding the log is the log keeper's, between commits: no answer waits for it.
  hold(db, 'wal_autocheckpoint', 0, 0)
  hold(db, 'cache_size', -CACHE_KIB, -CACHE_KIB)
  if (platform === 'darwin' && durability === 'FULL') {
    // On macOS fsync does not reach the platter; F_FULLFSYNC does.
    hold(db, 'fullfsync', 1, 1)
    hold(db, 'checkpoint_fullfsync', 1, 1)
  }
  return db
}

/** Opens a database that another thread writes. */
export function openForReading(path: string): Database.Database {
  const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 })
  hold(db, 'cache_size', -CACHE_KIB, -CACHE_KIB)
  return db
}

/** Sets a pragma and makes sure that it holds. */
function hold(db: Database.Database, name: string, value: string | number, readsBack: string | number): void {
  db.pragma(`${name} = ${value}`)
  const found: unknown = db.pragma(name, { simple: true })
  if (found !== readsBack) throw new Error(`SQLite answers ${name} = ${String(found)}, asked for was ${value}`)
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
