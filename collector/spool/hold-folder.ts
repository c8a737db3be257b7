import { join } from 'node:path'
import Database from 'better-sqlite3'
import { isDamage } from '../runtime/damage'

/**
 * Keeps a second collector out of the same data folder for as long as this process lives. SQLite's own file lock
 * serves, for the kernel takes it back however a process ends; a file with a pid in it would outlive a SIGKILL.
 * @returns the release.
 */
export function holdFolder(folder: string): () => void {
  const db = new Database(join(folder, 'lock.db'), { timeout: 0 })
  try {
    db.pragma('journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new Error(`another Waystation is using ${folder}: stop it, or set WAYSTATION_DATA to another folder`)
    if (error instanceof Error && isDamage(error))
      throw new Error(`${join(folder, 'lock.db')} holds something else than a lock: delete it, and start again`)
    throw error
  }
  return () => db.close()
}
