import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { checkForDamage, openForWriting } from '../runtime/database'
import { faultPoint } from '../runtime/fault-point'
import { DatabaseDamagedError } from '../runtime/sqlite-errors'
import { headOf, rowsFrom } from '../spool/local'
import { isIndexUnusable } from './index-damage'
import { createTables, DIGEST_VERSION, type NewIndexStart, versionOf } from './index-schema'

export const indexPath = (folder: string): string => join(folder, 'telemetry.db')
/** The index that a rebuild writes while the old one is served. */
export const nextIndexPath = (folder: string): string => join(folder, 'telemetry.next.db')

/** Damaged files are kept for inspection only; more of them would fill the disk. */
const MAX_DAMAGED_FILES = 3

interface OpenedIndex {
  readonly db: Database
  /** The problem of the file that was there, as a sentence; `null` when there was none. */
  readonly warning: string | null
}

/**
 * Opens an index for its only writer. An index of another version or limits is deleted, a damaged one is moved away:
 * nothing is lost, because a new file starts at the beginning of the record.
 */
export function openIndex(path: string, start: () => NewIndexStart): OpenedIndex {
  const found = inspect(path, start)
  if (found.is === 'usable') return { db: found.db, warning: null }
  if (found.is === 'outdated') removeIndex(path)
  const warning = found.is === 'damaged' ? moveDamagedAway(path, found.why) : null
  const created = inspect(path, start)
  if (created.is !== 'usable') throw new Error(`${path} was just created but is ${created.is}`)
  return { db: created.db, warning }
}

export function newIndexStart(parts: {
  readonly spool: Database
  readonly sizeLimits: ReadLimits
  readonly now: () => number
}): NewIndexStart {
  const from = rowsFrom(parts.spool)
  const head = headOf(parts.spool)
  return { from, goal: head > from ? head : 0, limits: limitsAsText(parts.sizeLimits), at: parts.now() }
}

/** All limits that change how a payload is read, and no others: an index with another text is rebuilt. */
function limitsAsText(sizeLimits: ReadLimits): string {
  const { depth, tags }: Required<ReadLimits> = sizeLimits
  return JSON.stringify({ depth, tags } satisfies Required<ReadLimits>)
}

/**
 * Gives the rebuilt index the name of the old one. Both files must be closed and checkpointed.
 * @param damage of the old file, which is then moved away; the result says so.
 */
export function replaceIndex(folder: string, damage: string | null): string | null {
  const [old, next] = [indexPath(folder), nextIndexPath(folder)]
  if (damage === null) removeLog(old)
  const warning = damage === null ? null : moveDamagedAway(old, damage)
  faultPoint('rebuild_switch')
  renameSync(next, old)
  removeLog(next)
  return warning
}

export function removeIndex(path: string): void {
  rmSync(path, { force: true, recursive: true })
  removeLog(path)
}

type Found =
  | { readonly is: 'usable'; readonly db: Database }
  | { readonly is: 'outdated' }
  | { readonly is: 'damaged'; readonly why: string }

function inspect(path: string, start: () => NewIndexStart): Found {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return { is: 'damaged', why: 'it is a folder' }
  let db: Database | null = null
  try {
    db = openForWriting(path, 'NORMAL')
    checkForDamage(db, path)
    const version = versionOf(db)
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
    if (tables.length === 0 && version === 0) {
      createTables(db, start())
      return { is: 'usable', db }
    }
    if (!tables.includes('cursor') || !tables.includes('envelopes')) throw new DatabaseDamagedError(FOREIGN_TABLES)
    if (version === DIGEST_VERSION) checkTables(db)
    if (version === DIGEST_VERSION && db.prepare('SELECT limits FROM cursor').pluck().get() === start().limits)
      return { is: 'usable', db }
    db.close()
    return { is: 'outdated' }
  } catch (error) {
    db?.close()
    if (!(error instanceof Error && isIndexUnusable(error))) throw error
    return { is: 'damaged', why: error.message }
  }
}

/** @throws DatabaseDamagedError unless the index has every table and index of its version. */
function checkTables(db: Database): void {
  const fresh = new Sqlite(':memory:')
  try {
    createTables(fresh, { from: 0, goal: 0, limits: '', at: 0 })
    const found = new Set(schemaOf(db))
    const missing = schemaOf(fresh).find((one) => !found.has(one))
    if (missing !== undefined) throw new DatabaseDamagedError(`it has no ${missing.slice(0, missing.indexOf('\n'))}`)
  } finally {
    fresh.close()
  }
}

/** `table NAME`, and on further lines its definition. */
const schemaOf = (db: Database): readonly string[] =>
  db
    .prepare("SELECT type || ' ' || name || char(10) || coalesce(sql, '') FROM sqlite_schema ORDER BY type DESC, name")
    .pluck()
    .all() as string[]

const FOREIGN_TABLES = 'its tables were not created by Waystation'

function moveDamagedAway(path: string, why: string): string {
  if (!existsSync(path)) {
    removeLog(path)
    return `${path} could not be used (${why}). The index is rebuilt from spool.db.`
  }
  const number = Array.from({ length: MAX_DAMAGED_FILES }, (_, index) => index + 1).find(
    (n) => !existsSync(`${path}.damaged-${n}`),
  )
  if (number === undefined) {
    removeIndex(path)
    return `${path} could not be used (${why}). It was deleted, because ${MAX_DAMAGED_FILES} damaged files are kept already. The index is rebuilt from spool.db.`
  }
  const moved = `${path}.damaged-${number}`
  removeLog(path)
  renameSync(path, moved)
  return `${path} could not be used (${why}). It was renamed to ${moved}, which you may delete. The index is rebuilt from spool.db.`
}

/** SQLite would apply a log that outlives its file to the next file of that name. */
function removeLog(path: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
}
