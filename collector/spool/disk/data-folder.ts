import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { isDamage, isLocked } from '../../runtime/sqlite-errors'

/**
 * Locks a data folder for the life of this process by SQLite's file lock, which the kernel releases even after SIGKILL.
 * @returns a function that unlocks it. @throws when another collector has the folder.
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'lock.db')
  const db = new Database(path, { timeout: 0 })
  try {
    db.pragma('journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (isLocked(error))
      throw new Error(`another Waystation is using ${folder}: stop it, or set WAYSTATION_DATA to another folder`)
    if (isDamage(error)) throw new Error(`${path} is not a lock file of Waystation: delete it, and start again`)
    throw error
  }
  return () => db.close()
}

/** Runs `work` while no collector can use the data folder; false when the folder could not be locked. */
export function whileIdle(folder: string, work: () => void): boolean {
  const unlock = tryLock(folder)
  if (unlock === null) return false
  try {
    work()
  } finally {
    unlock()
  }
  return true
}

function tryLock(folder: string): (() => void) | null {
  try {
    return lockFolder(folder)
  } catch {
    return null
  }
}

/** The first is the name of pending_deliveries in folders of older versions. */
const UNDELIVERED_TABLES = ['owed', 'pending_deliveries', 'dead_letters'] as const

/** Pending deliveries or dead letters. Also true when the record cannot be read: a person may still repair it. */
export function hasUndelivered(folder: string): boolean {
  const file = join(folder, 'spool.db')
  if (!existsSync(file)) return false
  try {
    const db = new Database(file, { fileMustExist: true, timeout: 0 })
    try {
      const hasTable = db.prepare("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?").pluck()
      return UNDELIVERED_TABLES.some(
        (table) =>
          hasTable.get(table) === 1 && db.prepare(`SELECT EXISTS (SELECT 1 FROM ${table})`).pluck().get() === 1,
      )
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof Database.SqliteError) return true
    throw error
  }
}
