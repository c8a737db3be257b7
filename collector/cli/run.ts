import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { dataFolder } from '../../lib/config/data-folder'
import { type Environment, explainProblem, readEnvironment } from '../../lib/config/environment'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { explainSystemError } from '../launch/explain-failure.js'
import { loadEnvironmentFiles } from '../launch/start-settings'
import { appUrlOf, boardsAt, NO_COLLECTOR, refuse, WRONG_WORDS } from './asked-collector'
import { readPlan } from './check-plan-files'
import type { CommandHandover } from './command-handover'
import { collectorEnvironment } from './run-environment'
import { newRecording, type Recording, recordingIn } from './run-folder'
import { recordProgram } from './run-record'
import { type RunWords, readRunWords } from './run-words'
import { prepareFiles } from './tell-report'
import { RUN_HELP } from './waystation-help.js'

/** `waystation run`: a program beside a collector and a recording of its own. @returns the exit code, as its help says */
export async function command({ root, bundles, words, stop, packaged }: CommandHandover): Promise<number> {
  const read = readRunWords(words)
  if (!read.ok) return refuse(WRONG_WORDS, [read.error])
  if (read.value === 'help') {
    console.log(RUN_HELP)
    return 0
  }
  const asked = read.value
  // A program of minutes is not run to be told then that its rules cannot be read.
  const plan = asked.judging === null ? succeed(null) : await readPlan(asked.judging, process.cwd())
  if (!plan.ok) return refuse(WRONG_WORDS, plan.error)
  const files = asked.judging === null ? succeed(null) : prepareFiles(asked.judging)
  if (!files.ok) return refuse(WRONG_WORDS, [files.error])
  // What our own .env files say is not the program's business.
  const own = { ...process.env }
  loadEnvironmentFiles(root, false)
  const settings = settle(asked)
  if (!settings.ok) return refuse(WRONG_WORDS, settings.error)
  const { env, environment } = settings.value
  // A relative folder is beside whoever named it: the shell, or a .env file of ours.
  const data = dataFolder(environment.dataFolder, own.WAYSTATION_DATA ? process.cwd() : root)
  const recording = makeRecording(asked, data)
  if (!recording.ok) return refuse(recording.error.code, [recording.error.sentence])
  return recordProgram({
    root,
    bundles,
    packaged,
    asked,
    plan: plan.value,
    own,
    env,
    appUrl: appUrlOf(environment),
    boards: boardsAt(environment, packaged),
    recording: recording.value,
    stop,
  })
}

function settle({
  relay,
}: RunWords): Result<{ readonly env: NodeJS.ProcessEnv; readonly environment: Environment }, readonly string[]> {
  const { WAYSTATION_UPSTREAM, WAYSTATION_DSNS, SENTRY_DSN } = process.env
  if (relay && !WAYSTATION_UPSTREAM && !WAYSTATION_DSNS && !SENTRY_DSN)
    return fail(['--relay has no upstream: set WAYSTATION_UPSTREAM to the DSN of your project, or to stand-in.'])
  const env = { ...collectorEnvironment(process.env, relay), NODE_ENV: 'production' as const }
  const environment = readEnvironment(env)
  return environment.ok ? succeed({ env, environment: environment.value }) : fail(environment.error.map(explainProblem))
}

function makeRecording(
  { data: given }: RunWords,
  data: string,
): Result<Recording, { readonly code: number; readonly sentence: string }> {
  const folder = given === null ? data : resolve(given)
  // What was there before would be counted with what comes now.
  if (given !== null && existsSync(join(folder, 'spool.db')))
    return fail({ code: WRONG_WORDS, sentence: `${folder} holds a recording already: --data wants a new folder.` })
  try {
    // What is somebody's would lie among what is ours, and a folder that is removed or published has both.
    if (given !== null && existsSync(folder) && readdirSync(folder).length > 0)
      return fail({
        code: WRONG_WORDS,
        sentence: `${folder} has other files in it: --data wants a new or an empty folder.`,
      })
    if (given === null) return succeed(newRecording(data, new Date(), randomBytes(2).toString('hex')))
    return succeed(recordingIn(folder))
  } catch (cause) {
    const which = given === null ? 'WAYSTATION_DATA' : '--data'
    const why = explainSystemError(cause)
    const sentence = `Nothing can be recorded in ${folder}: ${why}. Choose another folder with ${which}.`
    return fail({ code: NO_COLLECTOR, sentence })
  }
}
