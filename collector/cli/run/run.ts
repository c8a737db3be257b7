import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Environment, explainProblem, readEnvironment } from '../../../lib/config/environment'
import { dataFolder } from '../../../lib/config/folders'
import { nameHint } from '../../../lib/config/nearest'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { isRunName } from '../../../lib/wire/run'
import { loadEnvironmentFiles } from '../../launch/environment-files'
import { explainSystemError } from '../../launch/explain-failure.js'
import { collectorEnvironment } from '../../launch/recorder-environment'
import { newRunFolder, type RunFolder, runFolderAt } from '../../runs/run-folder'
import { type ParsedArguments, parseArguments, readSeconds } from '../arguments'
import { boardsUrl, type CommandInput, refuse } from '../collector-connection'
import { NO_COLLECTOR, USAGE_ERROR } from '../exit-codes'
import { COMMAND_NAMES, commandHelp, JUDGING_FLAGS, RUN_FLAGS } from '../flags.js'
import { type JudgingArguments, readJudgingArguments, readPlan } from '../judge/judging-arguments'
import { prepareFile, prepareReports } from '../judge/write-reports'
import { readProfilePlan } from './run-profile'
import { recordProgram } from './run-record'

const DEFAULT_SETTLE_MS = 5000
const MOST_SETTLE_S = 3600

/** `waystation run`: runs a program with its own collector and recording, and judges it. Returns the exit code. */
export async function command({ root, bundles, words, stop, packaged }: CommandInput): Promise<number> {
  const read = readRunArguments(words)
  if (!read.ok) return refuse(USAGE_ERROR, [read.error])
  if (read.value === 'help') {
    console.log(commandHelp('run'))
    return 0
  }
  const given = read.value
  // A wrong configuration is reported before the program runs, not after minutes.
  const plan = given.judging === null ? succeed(null) : await readPlan(given.judging, process.cwd())
  if (!plan.ok) return refuse(USAGE_ERROR, plan.error)
  const command = [given.program, ...given.args]
  const profile =
    given.judging === null ? succeed(null) : readProfilePlan(command, { learns: given.learn, folder: process.cwd() })
  if (!profile.ok) return refuse(USAGE_ERROR, [profile.error])
  const prepared = given.judging === null ? succeed(null) : prepareReports(given.judging)
  if (!prepared.ok) return refuse(USAGE_ERROR, [prepared.error])
  const savable = given.save === null ? succeed(null) : prepareFile('--save', given.save)
  if (!savable.ok) return refuse(USAGE_ERROR, [savable.error])
  // The program does not get the settings of our .env files.
  const own = { ...process.env }
  loadEnvironmentFiles(root, false)
  const settings = readSettings(given)
  if (!settings.ok) return refuse(USAGE_ERROR, settings.error)
  const { env, environment } = settings.value
  // A relative folder belongs to the current folder of the shell, or to the folder of our .env file.
  const data = dataFolder(environment.dataFolder, own.WAYSTATION_DATA ? process.cwd() : root)
  const recording = makeRecording(given, data)
  if (!recording.ok) return refuse(recording.error.code, [recording.error.message])
  return recordProgram({
    root,
    bundles,
    packaged,
    given,
    plan: plan.value,
    profile: profile.value,
    own,
    env,
    // At the default address of the app another project may listen: only a configured app may change anything.
    appUrl: env.WAYSTATION_APP_URL || 'off',
    // Its collector ends with the run, and at the default address of the pages is the user's own app.
    pagesUrl: boardsUrl(env),
    recording: recording.value,
    stop,
  })
}

export interface RunArguments {
  readonly relay: boolean
  readonly data: string | null
  readonly settleMs: number
  /** Adds this run to the profile if it is green. */
  readonly learn: boolean
  /** The file to which the run is also written. */
  readonly save: string | null
  /** Removes secrets from that file. */
  readonly scrub: boolean
  readonly name: string | null
  /** `null` with --no-check. */
  readonly judging: JudgingArguments | null
  readonly program: string
  readonly args: readonly string[]
}

const OWN_RECORDING = 'run always judges its own recording'
/** Flags of `check` that a person may try here. */
const FLAGS_OF_CHECK = {
  '--url': `run has no flag --url: ${OWN_RECORDING}`,
  '--stamp': `run has no flag --stamp: ${OWN_RECORDING}`,
  '--since': `run has no flag --since: ${OWN_RECORDING}`,
  '--json': 'run has no flag --json: standard output belongs to CMD; use --report FILE',
}

/** `run`, flags, then `--` or the first positional, which is the program. @returns a message for a wrong argument */
export function readRunArguments(words: readonly string[]): Result<RunArguments | 'help', string> {
  const [command = '', ...rest] = words
  if (command !== 'run') return fail(`unknown command ${JSON.stringify(command)}; ${nameHint(command, COMMAND_NAMES)}`)
  const parsed = parseArguments(rest, RUN_FLAGS, { runsProgram: true, otherwise: FLAGS_OF_CHECK })
  if (!parsed.ok) return parsed
  const { help, value, has, wrong, positionals } = parsed.value
  if (help) return succeed('help')
  const seconds = value('--settle')
  const settleMs = seconds === null ? DEFAULT_SETTLE_MS : readSeconds(seconds, MOST_SETTLE_S)
  if (settleMs === null) return fail(wrong('--settle'))
  const judging = readJudging(parsed.value)
  if (!judging.ok) return judging
  const [save, name] = [value('--save'), value('--name')]
  if (has('--scrub') && save === null) return fail('--scrub changes only the file of --save, which is missing')
  if (name !== null && !isRunName(name)) return fail(wrong('--name'))
  const [program, ...args] = positionals
  if (program === undefined || program === '') return fail('CMD is missing, for example: waystation run -- npm test')
  return succeed({
    relay: has('--relay'),
    data: value('--data'),
    settleMs,
    learn: has('--learn'),
    save: save === null ? null : resolve(save),
    scrub: has('--scrub'),
    name,
    judging: judging.value,
    program,
    args,
  })
}

function readJudging(parsed: ParsedArguments<typeof RUN_FLAGS>): Result<JudgingArguments | null, string> {
  if (!parsed.has('--no-check')) return readJudgingArguments(parsed)
  const useless = parsed.has('--learn')
    ? '--learn'
    : Object.keys(JUDGING_FLAGS).find((flag) => isJudgingFlag(flag) && parsed.has(flag))
  return useless === undefined ? succeed(null) : fail(`--no-check judges nothing; remove ${useless}`)
}

const isJudgingFlag = (flag: string): flag is keyof typeof JUDGING_FLAGS => Object.hasOwn(JUDGING_FLAGS, flag)

interface RunSettings {
  readonly env: NodeJS.ProcessEnv
  readonly environment: Environment
}

function readSettings({ relay }: RunArguments): Result<RunSettings, readonly string[]> {
  const { WAYSTATION_UPSTREAM, WAYSTATION_DSNS, SENTRY_DSN } = process.env
  if (relay && !WAYSTATION_UPSTREAM && !WAYSTATION_DSNS && !SENTRY_DSN)
    return fail(['--relay requires an upstream: set WAYSTATION_UPSTREAM to the DSN of your project, or to stand-in.'])
  const env = { ...collectorEnvironment(process.env, relay), NODE_ENV: 'production' as const }
  const environment = readEnvironment(env)
  return environment.ok ? succeed({ env, environment: environment.value }) : fail(environment.error.map(explainProblem))
}

function makeRecording(
  { data: given }: RunArguments,
  data: string,
): Result<RunFolder, { readonly code: number; readonly message: string }> {
  const folder = given === null ? data : resolve(given)
  // The verdict would include the envelopes of the earlier recording.
  if (given !== null && existsSync(join(folder, 'spool.db')))
    return fail({ code: USAGE_ERROR, message: `${folder} already contains a recording; --data requires a new folder.` })
  try {
    // A person who deletes or publishes the recording would also delete or publish the other files.
    if (given !== null && existsSync(folder) && readdirSync(folder).length > 0)
      return fail({
        code: USAGE_ERROR,
        message: `${folder} contains other files; --data requires a new or empty folder.`,
      })
    if (given === null) return succeed(newRunFolder(data, new Date(), randomBytes(2).toString('hex')))
    return succeed(runFolderAt(folder))
  } catch (cause) {
    const setting = given === null ? 'WAYSTATION_DATA' : '--data'
    const why = explainSystemError(cause)
    const message = `Recording in ${folder} failed: ${why}. Choose another folder with ${setting}.`
    return fail({ code: NO_COLLECTOR, message })
  }
}
