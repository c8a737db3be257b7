import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { faultPoint } from '../runtime/fault-point'
import { isDamage } from '../runtime/sqlite-errors'
import { checkForDamage, openForWriting } from '../spool/database'
import { headOf, rowsFrom } from './digest-batch'
import { createTables, DIGEST_VERSION, type NewIndexStart, versionOf } from './index-schema'

/** The rows' file. */
export const indexPath = (folder: string): string => join(folder, 'telemetry.db')
/** Rows that are being made anew, beside those that are served. */
export const nextIndexPath = (folder: string): string => join(folder, 'telemetry.next.db')

/** More than this and what is set aside would fill the disk; it is only there to be looked at. */
const MAX_DAMAGED_FILES = 3

export interface OpenedIndex {
  readonly db: Database
  /** What was wrong with the file that was there, in a sentence; `null` when nothing was. */
  readonly trouble: string | null
}

/**
 * Opens rows for their one writer. Rows of another digest version, or read by other limits, are thrown away, and a file
 * that is damaged or somebody else's is set aside: the record has it all, and the cursor of a new file starts at its
 * beginning.
 */
export function openIndex(path: string, birth: () => NewIndexStart): OpenedIndex {
  const found = inspect(path, birth)
  if (found.is === 'usable') return { db: found.db, trouble: null }
  if (found.is === 'outdated') removeIndex(path)
  const trouble = found.is === 'damaged' ? moveDamagedAway(path, found.why) : null
  const again = inspect(path, birth)
  if (again.is !== 'usable') throw new Error(`${path} was just made and is ${again.is}`)
  return { db: again.db, trouble }
}

type Found =
  | { readonly is: 'usable'; readonly db: Database }
  | { readonly is: 'outdated' }
  | { readonly is: 'damaged'; readonly why: string }

function inspect(path: string, birth: () => NewIndexStart): Found {
  let db: Database | null = null
  try {
    db = openForWriting(path, 'NORMAL')
    checkForDamage(db, path)
    const version = versionOf(db)
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
    if (tables.length === 0 && version === 0) {
      createTables(db, birth())
      return { is: 'usable', db }
    }
    if (!tables.includes('cursor') || !tables.includes('envelopes')) throw new Error(`${FOREIGN} (${path})`)
    if (version === DIGEST_VERSION && db.prepare('SELECT limits FROM cursor').pluck().get() === birth().limits)
      return { is: 'usable', db }
    db.close()
    return { is: 'outdated' }
  } catch (error) {
    db?.close()
    if (!(error instanceof Error && (isDamage(error) || error.message.startsWith(FOREIGN)))) throw error
    return { is: 'damaged', why: error.message }
  }
}

const FOREIGN = 'its tables are not those of Waystation'

/** @returns the sentence that says so. */
function moveDamagedAway(path: string, why: string): string {
  const number = Array.from({ length: MAX_DAMAGED_FILES }, (_, index) => index + 1).find(
    (n) => !existsSync(`${path}.damaged-${n}`),
  )
  if (number === undefined) {
    removeIndex(path)
    return `${path} could not be used (${why}); ${MAX_DAMAGED_FILES} such files are kept already, so it was removed, and its rows are made again from spool.db`
  }
  const aside = `${path}.damaged-${number}`
  removeLog(path)
  renameSync(path, aside)
  return `${path} could not be used (${why}); it is now ${aside}, which may be deleted, and its rows are made again from spool.db`
}

export function removeIndex(path: string): void {
  rmSync(path, { force: true })
  removeLog(path)
}

/** A log that outlives its file would be taken for that of the next file under its name. */
function removeLog(path: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
}

/**
 * New rows get the name of the old ones. Both files are closed, and their logs folded into them.
 * @param damage of the old ones, which are then set aside. @returns the sentence that says so.
 */
export function replaceIndex(folder: string, damage: string | null): string | null {
  const [old, next] = [indexPath(folder), nextIndexPath(folder)]
  if (damage === null) removeLog(old)
  const aside = damage === null ? null : moveDamagedAway(old, damage)
  faultPoint('rebuild_switch')
  renameSync(next, old)
  removeLog(next)
  return aside
}

/** What a file of rows that is made now is told: where it begins, and what it has to catch up with. */
export function newIndexStart(parts: {
  readonly spool: Database
  readonly limits: ReadLimits
  readonly now: () => number
}): NewIndexStart {
  const from = rowsFrom(parts.spool)
  const head = headOf(parts.spool)
  return { from, goal: head > from ? head : 0, limits: limitsWord(parts.limits), at: parts.now() }
}

/** By which limits payloads are read: all of those that reading goes by, and no other. */
function limitsWord(limits: ReadLimits): string {
  const { depth, tags }: Required<ReadLimits> = limits
  return JSON.stringify({ depth, tags } satisfies Required<ReadLimits>)
}
