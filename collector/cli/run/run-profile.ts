import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { judgeProfile } from '../../../lib/verdict/compare/judge-profile'
import { type Counts, learn, type Profile, profileText, readProfile } from '../../../lib/verdict/compare/profile'
import type { Judged } from '../../../lib/verdict/expectations/report'
import { explainSystemError } from '../../launch/explain-failure.js'
import { RECORDING_NAME } from '../../runs/run-folder'

export const PROFILE_FILE = 'waystation.profile.json'
/** The profile of one green run, next to its recording. */
const GREEN_RUN_FILE = 'green-run.json'

/** The profile that a run is compared with, and where a green run is written. */
export interface ProfilePlan {
  readonly file: string
  readonly command: string
  readonly learns: boolean
  /** `null` without a file. */
  readonly profile: Profile | null
}

/**
 * Reads the profile before the program runs.
 * @param command the program with its arguments
 * @param folder the working directory
 * @returns a message for a file that cannot be read, or that --learn must not change
 */
export function readProfilePlan(
  command: readonly string[],
  { learns, folder }: { readonly learns: boolean; readonly folder: string },
): Result<ProfilePlan, string> {
  const file = resolve(folder, PROFILE_FILE)
  const plan = { file, command: command.join(' '), learns }
  if (!existsSync(file)) return succeed({ ...plan, profile: null })
  const read = readProfileFile(file)
  if (!read.ok)
    return fail(`${PROFILE_FILE}: ${read.error}. Delete it, and learn it again with waystation run --learn -- CMD.`)
  if (learns && read.value.command !== plan.command)
    return fail(
      `${PROFILE_FILE} is the profile of ${JSON.stringify(read.value.command)}, and --learn got ${JSON.stringify(plan.command)}. Run that command, or delete the file.`,
    )
  return succeed({ ...plan, profile: read.value })
}

function readProfileFile(file: string): Result<Profile, string> {
  try {
    return readProfile(readFileSync(file, 'utf8'))
  } catch (cause) {
    return fail(explainSystemError(cause))
  }
}

/**
 * The comparison with the profile, or without one with the last green run of the same command; nothing with --learn,
 * which accepts what changed.
 * @param recording the folder of this run's recording
 */
export function compareRun(
  counts: Counts,
  { profile, command, learns }: ProfilePlan,
  recording: string,
): readonly Judged[] {
  if (learns) return []
  if (profile !== null)
    return judgeProfile(counts, profile, profile.command === command ? 'same command' : 'other command')
  const last = lastGreenRun(dirname(recording), command)
  return last === null ? [] : judgeProfile(counts, last, 'previous')
}

/** The newest green run of a command in `runs/`; `null` without any. A file that cannot be read is skipped. */
function lastGreenRun(runs: string, command: string): Profile | null {
  const names = readdirSync(runs).filter((name) => RECORDING_NAME.test(name))
  for (const name of names.sort().reverse()) {
    const file = join(runs, name, GREEN_RUN_FILE)
    const read = existsSync(file) ? readProfileFile(file) : null
    if (read?.ok && read.value.command === command) return read.value
  }
  return null
}

/**
 * Keeps what a green run recorded: next to its recording, and with --learn in the profile.
 * @returns a message for the terminal, or `null`; an error when the profile cannot be written
 */
export function keepGreenRun(
  counts: Counts,
  { file, command, learns, profile }: ProfilePlan,
  recording: string,
): Result<string | null, string> {
  const own = join(recording, GREEN_RUN_FILE)
  try {
    writeFileSync(own, profileText(learn(null, command, counts)), { mode: 0o600 })
  } catch (cause) {
    return fail(`${own} cannot be written: ${explainSystemError(cause)}.`)
  }
  if (!learns) return succeed(null)
  const learned = learn(profile, command, counts)
  try {
    writeFileSync(file, profileText(learned))
  } catch (cause) {
    return fail(`${PROFILE_FILE} cannot be written: ${explainSystemError(cause)}.`)
  }
  const advice = learned.runs < 3 ? ' Learn three runs, so that what varies from run to run is not required.' : ''
  return succeed(
    `${PROFILE_FILE} has learned ${learned.runs === 1 ? 'a green run' : `${learned.runs} green runs`}.${advice}`,
  )
}
