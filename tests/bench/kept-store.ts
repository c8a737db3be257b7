import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { indexPath } from '../../collector/index/index-open'
import { createTables } from '../../collector/index/index-schema'
import { lockFolder } from '../../collector/spool/data-folder'
import { digestAll, recordAll } from './fill-folder'
import { countRecords, recordAt, type StorePlan } from './store-records'

/** A filled data folder that runs share. */
export interface KeptStore {
  readonly folder: string
  readonly plan: StorePlan
  readonly records: number
  readonly recordBytes: number
  readonly rowBytes: number
}

/** What `store-records` makes. Another number here, and stores are filled anew. */
const FILLING = 1

const folderOf = (shelf: string, segments: number): string => join(shelf, `store-${segments}-${FILLING}`)

/** Is it there whole, with rows of this version? */
export function isKeptStoreReady(shelf: string, segments: number): boolean {
  const folder = folderOf(shelf, segments)
  if (!existsSync(indexPath(folder)) || hasOtherTables(folder)) return false
  const db = new Database(indexPath(folder), { readonly: true })
  try {
    return Number(db.prepare('SELECT seq FROM cursor').pluck().get()) === countRecords({ segments, newest: 0 })
  } finally {
    db.close()
  }
}

/**
 * The store of so many segments, made where it is not there. A fill that was ended goes on; rows of another version or other tables are made anew from the record.
 * @param given.redigest makes the rows anew in any case.
 */
export function keptStore(given: {
  readonly shelf: string
  readonly segments: number
  readonly redigest: boolean
  readonly say: (line: string) => void
}): KeptStore {
  const folder = folderOf(given.shelf, given.segments)
  mkdirSync(folder, { recursive: true })
  const release = lockFolder(folder)
  const marker = join(folder, 'newest')
  if (!existsSync(marker)) writeFileSync(marker, String(Date.now()))
  const plan: StorePlan = { segments: given.segments, newest: Number(readFileSync(marker, 'utf8')) }
  try {
    const filling = { ...plan, all: countRecords(plan), at: (number: number) => recordAt(plan, number) }
    recordAll(folder, filling, given.say)
    if (given.redigest || hasOtherTables(folder)) rmSync(indexPath(folder), { force: true })
    digestAll(folder, filling, given.say)
  } finally {
    release()
  }
  const bytesOf = (name: string): number => statSync(join(folder, name)).size
  return {
    folder,
    plan,
    records: countRecords(plan),
    recordBytes: bytesOf('spool.db'),
    rowBytes: bytesOf('telemetry.db'),
  }
}

/** Tables of the same version may still be others while the product is worked on. */
function hasOtherTables(folder: string): boolean {
  const path = indexPath(folder)
  if (!existsSync(path)) return false
  const wanted = new Database(':memory:')
  const found = new Database(path, { readonly: true })
  try {
    createTables(wanted, { from: 0, goal: 0, limits: '', at: 0 })
    return tablesOf(found) !== tablesOf(wanted)
  } finally {
    wanted.close()
    found.close()
  }
}

const tablesOf = (db: Database.Database): string =>
  JSON.stringify(db.prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name").all())
