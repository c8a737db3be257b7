import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { progressBar } from '../../collector/cli/terminal'
import { Digest } from '../../collector/index/digest'
import { indexPath } from '../../collector/index/index-open'
import { createTables } from '../../collector/index/index-schema'
import { Checkpointer } from '../../collector/runtime/checkpointer'
import { openForReading, openForWriting } from '../../collector/runtime/database'
import { lockFolder } from '../../collector/spool/disk/data-folder'
import { migrate } from '../../collector/spool/schema'
import { SpoolWriter } from '../../collector/spool/writer'
import { SIZE_LIMITS } from '../../lib/protocol/size-limits'
import type { Submission } from '../../lib/protocol/submission'
import { countRecords, recordAt, type StorePlan } from './store-records'

/** The records of a data folder. */
export interface Filling {
  readonly all: number
  /** The record with a number, from 1. */
  readonly at: (number: number) => Submission
  /** The time of the clock while the folder is filled, in ms since the epoch. */
  readonly newest: number
}

/** A filled data folder that runs share. */
export interface KeptStore {
  readonly folder: string
  readonly plan: StorePlan
  readonly records: number
  readonly recordBytes: number
  readonly rowBytes: number
}

/** Version of the records in `store-records`: increment it to fill the stores again. */
const RECORDS_VERSION = 1
const BATCH = 500

/** Whether a store is complete, with rows of this version. */
export function isKeptStoreReady(shared: string, segments: number): boolean {
  const folder = folderOf(shared, segments)
  if (!existsSync(indexPath(folder)) || hasOtherTables(folder)) return false
  const db = new Database(indexPath(folder), { readonly: true })
  try {
    return Number(db.prepare('SELECT seq FROM cursor').pluck().get()) === countRecords({ segments, newest: 0 })
  } finally {
    db.close()
  }
}

/**
 * Returns the store with this number of segments. Fills it first, or continues an interrupted fill, and rebuilds rows of
 * another version or schema.
 * @param given.redigest rebuilds the rows in any case
 */
export function keptStore(given: {
  readonly shared: string
  readonly segments: number
  readonly redigest: boolean
  readonly log: (line: string) => void
}): KeptStore {
  const folder = folderOf(given.shared, given.segments)
  mkdirSync(folder, { recursive: true })
  const release = lockFolder(folder)
  const marker = join(folder, 'newest')
  if (!existsSync(marker)) writeFileSync(marker, String(Date.now()))
  const plan: StorePlan = { segments: given.segments, newest: Number(readFileSync(marker, 'utf8')) }
  try {
    const filling = { ...plan, all: countRecords(plan), at: (number: number) => recordAt(plan, number) }
    recordAll(folder, filling, given.log)
    if (given.redigest || hasOtherTables(folder)) rmSync(indexPath(folder), { force: true })
    digestAll(folder, filling, given.log)
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

/** During development the schema may change without a new version. */
function hasOtherTables(folder: string): boolean {
  const path = indexPath(folder)
  if (!existsSync(path)) return false
  const expected = new Database(':memory:')
  const found = new Database(path, { readonly: true })
  try {
    createTables(expected, { from: 0, goal: 0, limits: '', at: 0 })
    return tablesOf(found) !== tablesOf(expected)
  } finally {
    expected.close()
    found.close()
  }
}

const tablesOf = (db: Database.Database): string =>
  JSON.stringify(db.prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name").all())

const folderOf = (shared: string, segments: number): string => join(shared, `store-${segments}-${RECORDS_VERSION}`)

/** Stores the missing records with the writer of the product, in this process. */
export function recordAll(folder: string, { all, at, newest }: Filling, log: (line: string) => void): void {
  const db = openForWriting(join(folder, 'spool.db'), 'FULL')
  migrate(db)
  const logs = new Checkpointer(db, Date.now)
  const writer = new SpoolWriter(db, { cap: 2 ** 40, now: () => newest, monotonic: () => 0 })
  const from = Number(db.prepare('SELECT coalesce(max(seq), 0) FROM submissions').pluck().get())
  const began = performance.now()
  const bar = barOf('Recording')
  for (let next = from + 1; next <= all; next += BATCH) {
    const last = Math.min(all, next + BATCH - 1)
    writer.commit(() => {
      for (let number = next; number <= last; number += 1) writer.insertSubmission(at(number))
    })
    logs.checkpointIfGrown()
    bar.show(last, all)
  }
  if (from < all) bar.end(`${all - from} records in ${seconds(began)} s`)
  else log(`${all} records exist already`)
  logs.truncate()
  db.close()
}

/** Digests the undigested records with the digest of the product, in this process. */
export function digestAll(folder: string, { all, newest }: Filling, log: (line: string) => void): void {
  const spool = openForReading(join(folder, 'spool.db'))
  const following = new Digest({ folder, spool, sizeLimits: SIZE_LIMITS, now: () => newest, log: log })
  const from = following.cursor
  const began = performance.now()
  const bar = barOf('Digesting')
  for (let step = following.step(); ; step = following.step()) {
    if (step.rebuildError !== null) throw step.rebuildError
    const [undigested] = step.batch.undigested
    if (undigested !== undefined) {
      following.close()
      rmSync(indexPath(folder))
      throw new Error(
        `record ${undigested.seq} cannot be digested; the index is incomplete and was removed: ${undigested.reason}`,
      )
    }
    if (step.switchable) following.switchOver()
    else if (!step.more) break
    bar.show(following.cursor, all)
  }
  if (from < all) bar.end(`${all - from} digested in ${seconds(began)} s`)
  following.close()
  spool.close()
}

const barOf = (doing: string) => progressBar({ doing, out: process.stdout, now: () => performance.now() })

const seconds = (began: number): string => ((performance.now() - began) / 1000).toFixed(1)
