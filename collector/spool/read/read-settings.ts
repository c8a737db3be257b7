import type { Database } from 'better-sqlite3'
import { prepareOnce } from '../../runtime/database'

/** A setting that was changed at run time; `null` when it never was. */
export function readSetting(db: Database, name: string): string | null {
  const value: unknown = prepareOnce(db, 'SELECT value FROM settings WHERE name = ?').pluck().get(name)
  return typeof value === 'string' ? value : null
}

/** The mute and the note of a group of errors. A person sets them. */
export interface StoredMark {
  readonly muted: boolean
  readonly note: string | null
}

const MARK_PREFIX = 'error_group/'

/** The name of the setting that holds the mark of a group. */
export const markSetting = (hash: string): string => `${MARK_PREFIX}${hash}`

/** The marks of error groups, by hash. */
export function readMarks(db: Database): ReadonlyMap<string, StoredMark> {
  const rows = prepareOnce(db, MARKS).all(MARK_PREFIX, `${MARK_PREFIX}g`) as { name: string; value: string }[]
  return new Map(rows.map(({ name, value }) => [name.slice(MARK_PREFIX.length), JSON.parse(value) as StoredMark]))
}

/** Hashes have hexadecimal digits only, which sort before `g`. */
const MARKS = 'SELECT name, value FROM settings WHERE name >= ? AND name < ? ORDER BY name'
