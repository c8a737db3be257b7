import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { FRAMES_FILE, MANIFEST_FILE } from '../../lib/wire/run'
import { sizeOf } from '../runtime/database'
import { whileIdle } from '../spool/files'
import { DATABASE_FILES, type RunManifest, readManifest, writeManifest } from './manifest'
import { isBeingWritten, PIN_FILE, RECORDING_NAME } from './run-folder'

/** A run in `runs/` of a data folder. */
export interface ListedRun {
  /** The name of its folder. */
  readonly id: string
  readonly folder: string
  /** `null` while it is being recorded, and when its command was killed. */
  readonly facts: RunManifest | null
  readonly isRecording: boolean
  readonly isPinned: boolean
  /** Of its databases. */
  readonly bytes: number
}

/** The runs of a data folder, newest first. */
export function listRuns(data: string): readonly ListedRun[] {
  const runs = join(data, 'runs')
  if (!existsSync(runs)) return []
  const names = readdirSync(runs).filter((name) => RECORDING_NAME.test(name))
  return names
    .sort()
    .reverse()
    .map((id) => {
      const folder = join(runs, id)
      const manifest = readManifest(folder)
      const sizes = [...DATABASE_FILES, FRAMES_FILE].map((name) => sizeOf(join(folder, name)))
      return {
        id,
        folder,
        facts: manifest.ok ? manifest.value : null,
        isRecording: isBeingWritten(folder),
        isPinned: existsSync(join(folder, PIN_FILE)),
        bytes: sizes.reduce((all, one) => all + one, 0),
      }
    })
}

/**
 * The run that a person means: its number in the list, 1 is the newest; its name; or the beginning of its id.
 * @returns a message when none or several match
 */
export function findRun(runs: readonly ListedRun[], reference: string): Result<ListedRun, string> {
  const byNumber = /^\d{1,3}$/.test(reference) ? runs[Number(reference) - 1] : undefined
  if (byNumber !== undefined) return succeed(byNumber)
  const named = runs.filter(({ facts }) => facts?.name === reference)
  const found = named.length > 0 ? named : runs.filter(({ id }) => reference !== '' && id.startsWith(reference))
  const [only, ...others] = found
  if (only === undefined)
    return fail(
      `there is no run ${JSON.stringify(reference)}; expected a number from 1 to ${runs.length}, a name or an id`,
    )
  return others.length === 0
    ? succeed(only)
    : fail(`${JSON.stringify(reference)} means ${found.length} runs: ${found.map(({ id }) => id).join(', ')}`)
}

/** A pinned run is never removed as one of the oldest. */
export const pinRun = ({ folder }: ListedRun): void => writeFileSync(join(folder, PIN_FILE), '', { mode: 0o600 })

export const unpinRun = ({ folder }: ListedRun): void => rmSync(join(folder, PIN_FILE), { force: true })

/** @returns a message for a run without a manifest */
export function nameRun({ id, folder, facts }: ListedRun, name: string): Result<null, string> {
  if (facts === null) return fail(`${id} has no ${MANIFEST_FILE}: it is being recorded, or its command was killed`)
  writeManifest(folder, { ...facts, name })
  return succeed(null)
}

/** @returns a message for a run that a command or a collector uses */
export function deleteRun({ id, folder, isRecording }: ListedRun): Result<null, string> {
  if (isRecording) return fail(`${id} is being recorded`)
  const isDeleted = whileIdle(folder, () => rmSync(folder, { recursive: true, force: true }))
  return isDeleted ? succeed(null) : fail(`a collector uses ${id}: stop it first`)
}
