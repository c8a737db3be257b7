import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SIZE_LIMITS } from '../../lib/protocol/size-limits'
import { FRAMES_FILE } from '../../lib/wire/run'
import { Digest } from '../index/files'
import { openForReading } from '../runtime/database'
import { isDamage } from '../runtime/sqlite-errors'
import { DATABASE_FILES } from './manifest'

/**
 * Copies the record, the index and the mapped frames of a folder, also while a collector uses it. The index first: the copy of the record then
 * contains every record that the index was made from.
 * @throws the error of SQLite or of the system
 */
export function copyDatabases(from: string, to: string): void {
  try {
    copyDatabase(join(from, FRAMES_FILE), join(to, FRAMES_FILE))
  } catch (error) {
    // Frames can be mapped again: their damage does not keep a run from being saved.
    if (!isDamage(error)) throw error
    rmSync(join(to, FRAMES_FILE), { force: true })
  }
  for (const name of DATABASE_FILES.toReversed()) copyDatabase(join(from, name), join(to, name))
}

function copyDatabase(from: string, to: string): void {
  if (!existsSync(from)) return
  const db = openForReading(from)
  try {
    db.prepare('VACUUM INTO ?').run(to)
  } finally {
    db.close()
  }
}

/** How often a long indexing is reported. */
const REPORT_EVERY_MS = 1000

/**
 * Completes the index of a folder that no collector uses. One of another version is made again from the record.
 * @param log called about once a second with the progress @throws when the record is damaged
 */
export function completeIndex(folder: string, log: (line: string) => void): void {
  const spool = openForReading(join(folder, 'spool.db'))
  const digest = new Digest({ folder, spool, sizeLimits: SIZE_LIMITS, now: Date.now, log })
  try {
    let reportedAt = Date.now()
    for (let more = true; more; ) {
      more = digest.step().more
      if (Date.now() - reportedAt < REPORT_EVERY_MS) continue
      reportedAt = Date.now()
      const { done } = digest.state()
      log(`indexing: ${done} records`)
    }
  } finally {
    digest.close()
    spool.close()
  }
}
