import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openForWriting } from '../spool/open'
import { createTables, DIGEST_VERSION, versionOf } from './schema'

/** The rows' file. */
export const storePath = (folder: string): string => join(folder, 'telemetry.db')

/**
 * Opens the rows for their one writer. Rows of another digest version are thrown away: the record has them all, and
 * the cursor of a new file starts at its beginning.
 */
export function openStore(folder: string): Database {
  const path = storePath(folder)
  const db = openForWriting(path, 'NORMAL')
  const version = versionOf(db)
  if (version === DIGEST_VERSION) return db
  if (version !== 0) {
    db.close()
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
    return openStore(folder)
  }
  createTables(db)
  return db
}
