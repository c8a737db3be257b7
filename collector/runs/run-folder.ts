import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../lib/config/folders'
import { hasCode, isRunning } from '../launch/processes.js'
import { hasUndelivered, whileIdle } from '../spool/files'

/** How many recordings in `runs/` are kept, in addition to those that are open or have pending envelopes. */
export const RECORDINGS_KEPT = 20
/** Names that sort by time: `20261121T194712.123Z-3f2a`. */
export const RECORDING_NAME = /^\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{4}$/
/** A run with this file is never removed as one of the oldest. */
export const PIN_FILE = 'pinned'
/** Contains the pid of the command that writes the recording. */
const WRITER = 'recorded-by'

export interface RunFolder {
  readonly folder: string
  /** The command has finished: from now on the recording may be removed as one of the oldest. */
  readonly release: () => void
  /** Removes the recording of a program that did not start. */
  readonly remove: () => void
}

/**
 * Makes the folder of a new recording, and removes the oldest: not those that a command writes, a collector shows, that a
 * person pinned, or with pending envelopes.
 * @param random four hex digits, because two commands may start in the same millisecond
 * @throws the system error when the folder cannot be made
 */
export function newRunFolder(data: string, now: Date, random: string): RunFolder {
  const runs = join(data, 'runs')
  const folder = join(runs, `${now.toISOString().replaceAll(/[-:]/g, '')}-${random}`)
  makeFolder(folder)
  writeFileSync(join(folder, WRITER), String(process.pid), { mode: 0o600 })
  removeOldest(runs)
  const release = () => rmSync(join(folder, WRITER), { force: true })
  return { folder, release, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** `remove` leaves files that were there before. @throws the system error when the folder cannot be made or read */
export function runFolderAt(folder: string): RunFolder {
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
  const recordings = readdirSync(runs).filter((name) => RECORDING_NAME.test(name))
  for (const name of recordings.sort().reverse().slice(RECORDINGS_KEPT)) {
    const folder = join(runs, name)
    if (isBeingWritten(folder) || existsSync(join(folder, PIN_FILE))) continue
    whileIdle(folder, () => {
      if (!hasUndelivered(folder)) rmSync(folder, { recursive: true, force: true })
    })
  }
}

/** True while the command that records it runs. */
export function isBeingWritten(folder: string): boolean {
  try {
    return isRunning(Number(readFileSync(join(folder, WRITER), 'utf8')))
  } catch (cause) {
    if (hasCode(cause, 'ENOENT', 'ENOTDIR')) return false
    throw cause
  }
}
