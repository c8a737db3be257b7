import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { progressBar } from '../../collector/cli/progress-bar'
import { Digest } from '../../collector/digest/digest'
import { holdFolder } from '../../collector/spool/hold-folder'
import { LogKeeper } from '../../collector/spool/log-keeper'
import { openForReading, openForWriting } from '../../collector/spool/open'
import { migrate } from '../../collector/spool/schema'
import { SpoolWriter } from '../../collector/spool/writer'
import { storePath } from '../../collector/store/open'
import { createTables } from '../../collector/store/schema'
import { LIMITS } from '../../lib/protocol/limits'
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
const BATCH = 500

const folderOf = (shelf: string, segments: number): string => join(shelf, `store-${segments}-${FILLING}`)

/** Is it there whole, with rows of this version? */
export function isKeptStoreReady(shelf: string, segments: number): boolean {
  const folder = folderOf(shelf, segments)
  if (!existsSync(storePath(folder)) || hasOtherTables(folder)) return false
  const db = new Database(storePath(folder), { readonly: true })
  try {
    return Number(db.prepare('SELECT seq FROM cursor').pluck().get()) === countRecords({ segments, newest: 0 })
  } finally {
    db.close()
  }
}

/**
 * The store of so many segments, made where it is not there: through the writer and the digest of the product, in this
 * process. A fill that was ended goes on; rows of another version or other tables are made anew from the record.
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
  const release = holdFolder(folder)
  const marker = join(folder, 'newest')
  if (!existsSync(marker)) writeFileSync(marker, String(Date.now()))
  const plan: StorePlan = { segments: given.segments, newest: Number(readFileSync(marker, 'utf8')) }
  try {
    record(folder, plan, given.say)
    if (given.redigest || hasOtherTables(folder)) rmSync(storePath(folder), { force: true })
    digest(folder, plan, given.say)
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

function record(folder: string, plan: StorePlan, say: (line: string) => void): void {
  const db = openForWriting(join(folder, 'spool.db'), 'NORMAL')
  migrate(db)
  const logs = new LogKeeper(db, Date.now)
  const newest = plan.newest
  const writer = new SpoolWriter(db, { cap: 2 ** 40, now: () => newest, monotonic: () => 0 })
  const all = countRecords(plan)
  const from = Number(db.prepare('SELECT coalesce(max(seq), 0) FROM submissions').pluck().get())
  const began = performance.now()
  const bar = barOf('Recording')
  for (let next = from + 1; next <= all; next += BATCH) {
    const last = Math.min(all, next + BATCH - 1)
    writer.commit(() => {
      for (let number = next; number <= last; number += 1) writer.append(recordAt(plan, number))
    })
    logs.grew()
    bar.show(last, all)
  }
  if (from < all) bar.end(`${all - from} records in ${seconds(began)} s`)
  else say(`${all} records are there`)
  logs.empty()
  db.close()
}

function digest(folder: string, plan: StorePlan, say: (line: string) => void): void {
  const spool = openForReading(join(folder, 'spool.db'))
  const following = new Digest({ folder, spool, limits: LIMITS, now: () => plan.newest, say })
  const all = countRecords(plan)
  const from = following.cursor
  const began = performance.now()
  const bar = barOf('Digesting')
  for (let step = following.step(); ; step = following.step()) {
    if (step.trouble !== null) throw new Error(step.trouble)
    const [undigested] = step.batch.undigested
    if (undigested !== undefined) {
      following.close()
      rmSync(storePath(folder))
      throw new Error(`record ${undigested.seq} stays undigested, and rows without it are none: ${undigested.reason}`)
    }
    if (step.switchable) following.switchOver()
    else if (!step.more) break
    bar.show(following.cursor, all)
  }
  if (from < all) bar.end(`${all - from} digested in ${seconds(began)} s`)
  following.close()
  spool.close()
}

/** Tables of the same version may still be others while the product is worked on. */
function hasOtherTables(folder: string): boolean {
  const path = storePath(folder)
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

const barOf = (doing: string) => progressBar({ doing, out: process.stdout, now: () => performance.now() })

const seconds = (began: number): string => ((performance.now() - began) / 1000).toFixed(1)
