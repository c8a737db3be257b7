import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../lib/config/make-folder'
import { hasCode, isRunning } from '../launch/processes.js'
import { hasUndelivered, whileIdle } from '../spool/data-folder'

/** Recordings below `runs/` that are kept, the newest; what is open in a collector or owes something stays besides. */
export const RECORDINGS_KEPT = 20
/** Names that sort by time: `20261121T194712.123Z-3f2a`. */
const NAME = /^\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{4}$/
/** Names whoever still writes the recording. */
const WRITER = 'recorded-by'

export interface Recording {
  readonly folder: string
  /** The program is done with it: from now on it may go when it is one of the oldest. */
  readonly release: () => void
  /** For one in which nothing was begun. */
  readonly remove: () => void
}

/**
 * Makes the folder of a new recording, and removes the oldest ones beyond the newest that are kept: not those that are
 * being written, or looked at, nor those of which something is still pending.
 * @param data folder of all data. @param random four hex digits, for two that begin at once.
 * @throws the system's error when the folder cannot be made
 */
export function newRecording(data: string, now: Date, random: string): Recording {
  const runs = join(data, 'runs')
  const folder = join(runs, `${now.toISOString().replaceAll(/[-:]/g, '')}-${random}`)
  makeFolder(folder)
  writeFileSync(join(folder, WRITER), String(process.pid), { mode: 0o600 })
  removeOldest(runs)
  const release = () => rmSync(join(folder, WRITER), { force: true })
  return { folder, release, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * A recording in a folder that a person named. What was there before it stays, whatever becomes of it.
 * @throws the system's error when the folder cannot be made or read
 */
export function recordingIn(folder: string): Recording {
  const made = makeFolder(folder)
  const before = new Set(readdirSync(folder))
  const remove = () => {
    whileIdle(folder, () => {
      const ours = made === undefined ? readdirSync(folder).filter((name) => !before.has(name)) : []
      for (const path of made === undefined ? ours.map((name) => join(folder, name)) : [made])
        rmSync(path, { recursive: true, force: true })
    })
  }
  return { folder, release: () => undefined, remove }
}

function removeOldest(runs: string): void {
  const recordings = readdirSync(runs).filter((name) => NAME.test(name))
  for (const name of recordings.sort().reverse().slice(RECORDINGS_KEPT)) {
    const folder = join(runs, name)
    if (isBeingWritten(folder)) continue
    whileIdle(folder, () => {
      if (!hasUndelivered(folder)) rmSync(folder, { recursive: true, force: true })
    })
  }
}

function isBeingWritten(folder: string): boolean {
  try {
    return isRunning(Number(readFileSync(join(folder, WRITER), 'utf8')))
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return false
    throw cause
  }
}
