import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { plural } from '../../../lib/format'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { compareWithProfile, judgeProfile } from '../../../lib/verdict/compare/judge-profile'
import { type Counts, learn, type Profile, profileText, readProfile } from '../../../lib/verdict/compare/profile'
import type { Judged } from '../../../lib/verdict/expectations/report'
import { explainSystemError } from '../../launch/explain-failure.js'
import { RECORDING_NAME } from '../../runs/run-folder'

export const PROFILE_FILE = 'waystation.profile.json'
/** The green run with which later runs of the command are compared, next to the newest green recording. */
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
 * @param program how the program failed; `null` if it succeeded
 */
export function compareRun(
  counts: Counts,
  { profile, command, learns }: ProfilePlan,
  { recording, program }: { readonly recording: string; readonly program: string | null },
): readonly Judged[] {
  if (learns) return []
  if (profile !== null)
    return judgeProfile(counts, profile, profile.command === command ? 'same command' : 'other command', program)
  const last = lastGreenRun(dirname(recording), command)
  return last === null ? [] : judgeProfile(counts, last, 'previous', program)
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
 * Keeps what a green run recorded: next to its recording, and with --learn in the profile. A run that lacks something of
 * the last green run of its command keeps that one instead, so that it stays the norm, also when its recording is removed.
 * @param unknown see `RecordingContents`
 * @returns messages for the terminal; an error when a file cannot be written
 */
export function keepGreenRun(
  counts: Counts,
  { file, command, learns, profile }: ProfilePlan,
  recording: string,
  unknown: readonly string[],
): Result<readonly string[], string> {
  const own = join(recording, GREEN_RUN_FILE)
  const last = learns ? null : lastGreenRun(dirname(recording), command)
  const why = last === null ? null : whyNotReplaced(counts, last, unknown)
  const kept = last === null || why === null ? learn(null, command, counts) : last
  const written = writeProfile(own, own, kept)
  if (!written.ok) return written
  if (!learns)
    return succeed(
      why === null
        ? []
        : [`Later runs are compared with an earlier green run, because ${why}; --learn accepts this run.`],
    )
  const learned = learn(profile, command, counts)
  const saved = writeProfile(file, PROFILE_FILE, learned)
  if (!saved.ok) return saved
  const advice = learned.runs < 3 ? ' Learn three runs, so that what varies from run to run is not required.' : ''
  return succeed([
    `${PROFILE_FILE} has learned ${learned.runs === 1 ? 'a green run' : `${learned.runs} green runs`}.${advice}`,
  ])
}

/** Why a run does not become the norm of its command; `null` if it does. */
function whyNotReplaced(counts: Counts, last: Profile, unknown: readonly string[]): string | null {
  if (unknown.length > 0) return 'telemetry of this one is unknown'
  const { lost } = compareWithProfile(counts, last)
  return lost.length === 0 ? null : `this one differs from it (last-green-run: ${plural(lost.length, 'finding')})`
}

/** @param name the file as messages name it */
function writeProfile(file: string, name: string, profile: Profile): Result<null, string> {
  try {
    // A recording is readable by its owner only; the profile is committed.
    writeFileSync(file, profileText(profile), name === PROFILE_FILE ? {} : { mode: 0o600 })
    return succeed(null)
  } catch (cause) {
    return fail(`${name} cannot be written: ${explainSystemError(cause)}.`)
  }
}
