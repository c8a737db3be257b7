import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { progressBar } from '../../collector/cli/terminal'
import { Digest } from '../../collector/index/digest'
import { indexPath } from '../../collector/index/index-open'
import { openForReading, openForWriting } from '../../collector/spool/database'
import { migrate } from '../../collector/spool/schema'
import type { Submission } from '../../collector/spool/submission'
import { Checkpointer } from '../../collector/spool/wal'
import { SpoolWriter } from '../../collector/spool/writer'
import { LIMITS } from '../../lib/protocol/limits'

/** What a folder is filled with. */
export interface Filling {
  readonly all: number
  /** The record of a number, from 1. */
  readonly at: (number: number) => Submission
  /** What the clock says meanwhile, in ms since the epoch. */
  readonly newest: number
}

const BATCH = 500

/** Stores what is missing of the records, through the product's own writer and in this process. */
export function recordAll(folder: string, { all, at, newest }: Filling, say: (line: string) => void): void {
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
  else say(`${all} records are there`)
  logs.truncate()
  db.close()
}

/** Makes the rows that are missing, by the product's own digest and in this process. */
export function digestAll(folder: string, { all, newest }: Filling, say: (line: string) => void): void {
  const spool = openForReading(join(folder, 'spool.db'))
  const following = new Digest({ folder, spool, limits: LIMITS, now: () => newest, log: say })
  const from = following.cursor
  const began = performance.now()
  const bar = barOf('Digesting')
  for (let step = following.step(); ; step = following.step()) {
    if (step.rebuildError !== null) throw step.rebuildError
    const [undigested] = step.batch.undigested
    if (undigested !== undefined) {
      following.close()
      rmSync(indexPath(folder))
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

const barOf = (doing: string) => progressBar({ doing, out: process.stdout, now: () => performance.now() })

const seconds = (began: number): string => ((performance.now() - began) / 1000).toFixed(1)
