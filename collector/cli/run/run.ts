import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Environment, explainProblem, readEnvironment } from '../../../lib/config/environment'
import { dataFolder } from '../../../lib/config/folders'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { loadEnvironmentFiles } from '../../launch/environment-files'
import { explainSystemError } from '../../launch/explain-failure.js'
import { collectorEnvironment } from '../../launch/recorder-environment'
import { newRunFolder, type RunFolder, runFolderAt } from '../../runs/run-folder'
import { helpOrRefuse } from '../arguments'
import { boardsUrl, type CommandInput, refuse } from '../collector-connection'
import { NO_COLLECTOR, USAGE_ERROR } from '../exit-codes'
import { readPlan } from '../judge/judging-arguments'
import { prepareFile, prepareReports } from '../judge/write-reports'
import { type RunArguments, readRunArguments } from './run-arguments'
import { readProfilePlan } from './run-profile'
import { recordProgram } from './run-record'

/** `waystation run`: runs a program with its own collector and recording, and judges it. Returns the exit code. */
export async function command({ root, bundles, words, stop, packaged }: CommandInput): Promise<number> {
  const read = readRunArguments(words)
  if (!read.ok) return helpOrRefuse('run', read.error)
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
