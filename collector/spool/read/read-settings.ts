import type { Database } from 'better-sqlite3'
import type { Mark } from '../../../lib/wire/marks'
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

/** Settings with this beginning are marks of error groups. */
export const GROUP_PREFIX = 'error_group/'

/** The name of the setting that holds the mark of a group. */
export const markSetting = (hash: string): string => `${GROUP_PREFIX}${hash}`

/** The marks of error groups, by hash. */
export const readMarks = (db: Database): ReadonlyMap<string, StoredMark> => toMarks(readSettings(db, GROUP_PREFIX))

/** @param rows settings that begin with `GROUP_PREFIX` */
export const toMarks = (rows: readonly SettingRow[]): ReadonlyMap<string, StoredMark> =>
  new Map(rows.map(({ name, value }) => [name, JSON.parse(value) as StoredMark]))

/** Settings with this beginning are marks of moments. */
export const MOMENT_PREFIX = 'mark/'

/** The name of the setting that holds the mark of a moment. */
export const momentSetting = (name: string): string => `${MOMENT_PREFIX}${name}`

/** The marks of moments. @param rows settings that begin with `MOMENT_PREFIX` */
export const toMoments = (rows: readonly SettingRow[]): readonly Mark[] =>
  rows.map(({ name, value }) => ({ name, ...(JSON.parse(value) as Omit<Mark, 'name'>) }))

/** A setting; its name is without the prefix by which it was found. */
export interface SettingRow {
  readonly name: string
  readonly value: string
}

/** Settings whose names begin with a prefix. */
export const readSettings = (db: Database, prefix: string): readonly SettingRow[] =>
  prepareOnce(db, UNDER).all({ prefix, length: prefix.length }) as SettingRow[]

const UNDER = `SELECT substr(name, @length + 1) AS name, value FROM settings
  WHERE substr(name, 1, @length) = @prefix ORDER BY name`
