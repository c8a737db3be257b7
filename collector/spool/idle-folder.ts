import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { holdFolder } from './hold-folder'

/**
 * Does something to a data folder while no collector can use it.
 * @returns false when it was not done: a collector uses the folder, or whether one does cannot be told.
 */
export function whileIdle(folder: string, work: () => void): boolean {
  const release = hold(folder)
  if (release === null) return false
  try {
    work()
  } finally {
    release()
  }
  return true
}

function hold(folder: string): (() => void) | null {
  try {
    return holdFolder(folder)
  } catch {
    // Whatever kept us out would keep a collector out, too: the folder is left as it is.
    return null
  }
}

/** Tables of pending deliveries and dead letters; `owed` is the name in folders of older versions. */
const OWING = ['owed', 'pending_deliveries', 'dead_letters'] as const

/**
 * Does the record of this folder hold what is not settled? True as well of one that cannot be read, for what it owes may
 * be mended yet. To be asked while the folder is idle.
 */
export function owes(folder: string): boolean {
  const file = join(folder, 'spool.db')
  if (!existsSync(file)) return false
  try {
    const db = new Database(file, { fileMustExist: true, timeout: 0 })
    try {
      const hasTable = db.prepare("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?").pluck()
      return OWING.some(
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
