import type { Database } from 'better-sqlite3'
import { isDamage, isMissingTable, SpoolDamagedError } from '../runtime/sqlite-errors'

/** The index (`telemetry.db`) is damaged: rebuild it. Has no SQLite code: with one, the collector would stop. */
export class IndexDamagedError extends Error {
  /** Errors keep only their name when they cross threads. */
  static readonly NAME = 'IndexDamagedError'

  constructor(cause: Error) {
    super(`telemetry.db is damaged and is rebuilt from the record (${cause.message})`)
    this.name = IndexDamagedError.NAME
  }
}

/** Whether an error of the index is repaired by a rebuild: damaged pages, or a table that is gone. */
export const isIndexUnusable = (error: unknown): boolean => isDamage(error) || isMissingTable(error)

/** Runs a read of `spool.db` and marks its damage, which would otherwise look like damage of the index. */
export function fromSpool<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && isDamage(error)) throw new SpoolDamagedError(error)
    throw error
  }
}

/** SQLite does not say which of two attached files is damaged. The index is the one that can be rebuilt. */
export function isIndexDamaged(db: Database): boolean {
  try {
    return db.prepare('PRAGMA main.quick_check(1)').pluck().get() !== 'ok'
  } catch (error) {
    return error instanceof Error && isDamage(error)
  }
}
