import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HELP, parseArguments } from '../../collector/cli/arguments'
import { describeFlags, RUN_FLAGS } from '../../collector/cli/flags.js'
import { anyFreePort } from '../../collector/launch/ports'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { CONTROL, MUTANTS, type Mutant } from './catalogue'
import { APPS, type App, buildFixtureApp } from './fixture-app'
import { type Judgement, judgeMutant, mergeControls, type RunSentences } from './judge'
import { runSuite, type SuiteRun } from './run-suite'
import { describeRow, mutantTable, type Row, totals } from './table'

const FLAGS = {
  '--only': { value: 'NAME', about: 'only these mutants', valid: 'names from --list, separated by commas' },
  '--list': { about: 'prints the names of all mutants' },
  '--control': {
    value: 'N',
    about: 'runs only the control, N times, and prints how many runs were green',
    valid: 'a positive integer',
  },
  '--app': {
    value: 'NAME',
    about: 'the fixture app: next, or with --control also vite (Vite and Express)',
    valid: APPS.join(' or '),
    default: 'next',
  },
  '--column': {
    value: 'NAME',
    about: 'runs the mutants only without, or only with a profile',
    valid: 'without or with',
    default: 'both',
  },
} as const

const USAGE = `npm run test:mutants [-- FLAG…]

Builds a fixture app once and runs its Playwright suite within \`waystation run\`: first without a fault (the control), then once
for each mutant, without and with a profile. Prints which mutants were found, and the sentence that named the cause.
Takes about ten minutes per column on two cores and is not part of npm test.

${describeFlags(FLAGS)}

Exit code: 0, or 1 if a run of the control was not green or a run ended without a verdict; 2 for a wrong flag.
Missed mutants do not change it.`

/** Runs of the control before each column: sentences that only some of them print do not count either. */
const CONTROL_RUNS = 3
/** Only green runs make a profile. */
const MOST_LEARNING_RUNS = 6
const PROFILE = 'waystation.profile.json'
const LEARN = '--learn'
/** As shells count Ctrl-C. */
const STOPPED = 130

interface Plan {
  readonly app: App
  readonly only: readonly Mutant[]
  /** Only the control, this many times; `null` for the table. */
  readonly controls: number | null
  readonly columns: readonly Column[]
}

const COLUMNS = ['without', 'with'] as const
type Column = (typeof COLUMNS)[number]

/** @returns the plan, or a text to print with its exit code */
export function readPlan(args: readonly string[]): Result<Plan, { readonly text: string; readonly code: number }> {
  const refuse = (text: string) => fail({ text: `${text}\n\n${USAGE}`, code: 2 })
  const parsed = parseArguments(args, FLAGS)
  if (!parsed.ok) return parsed.error === HELP ? fail({ text: USAGE, code: 0 }) : refuse(parsed.error)
  const { value, has, wrong, positionals } = parsed.value
  if (positionals.length > 0) return refuse(`test:mutants takes only flags, got ${JSON.stringify(positionals[0])}`)
  const width = Math.max(...MUTANTS.map(({ name }) => name.length))
  if (has('--list'))
    return fail({ text: MUTANTS.map(({ name, about }) => `${name.padEnd(width)}  ${about}`).join('\n'), code: 0 })
  const names = value('--only')?.split(',') ?? []
  const unknown = names.find((name) => !MUTANTS.some((mutant) => mutant.name === name))
  if (unknown !== undefined) return refuse(`--only names no mutant ${JSON.stringify(unknown)}; see --list`)
  const controls = value('--control') === null ? null : Number(value('--control'))
  if (controls !== null && !(Number.isInteger(controls) && controls > 0)) return refuse(wrong('--control'))
  const app = APPS.find((name) => name === (value('--app') ?? 'next'))
  if (app === undefined) return refuse(wrong('--app'))
  if (app !== 'next' && controls === null) return refuse(`--app ${app} has no mutants: add --control N`)
  const only = MUTANTS.filter(({ name }) => names.length === 0 || names.includes(name))
  const column = value('--column')
  const columns = COLUMNS.filter((name) => column === null || column === name)
  if (columns.length === 0) return refuse(wrong('--column'))
  return succeed({ app, only, controls, columns })
}

interface Given {
  readonly args: readonly string[]
  /** Contains the builds of the fixture app; kept. */
  readonly builds: string
  readonly chromium: string
  readonly stop: AbortSignal
}

/** `npm run test:mutants`. @returns the exit code */
export async function run({ args, builds, chromium, stop }: Given): Promise<number> {
  const plan = readPlan(args)
  if (!plan.ok) {
    console.log(plan.error.text)
    return plan.error.code
  }
  mkdirSync(builds, { recursive: true })
  console.log('Building the fixture app.')
  const app = await buildFixtureApp(plan.value.app, builds)
  const thirdParty = await startThirdParty()
  const folder = mkdtempSync(join(tmpdir(), 'waystation-mutants-'))
  try {
    const shared = {
      app,
      folder,
      data: join(folder, 'data'),
      chromium,
      stop,
      thirdPartyPort: (thirdParty.address() as AddressInfo).port,
      appPort: await anyFreePort(['127.0.0.1']),
      deadPort: await anyFreePort(['127.0.0.1']),
    }
    const suite = async (mutant: string, flags: readonly string[] = []): Promise<SuiteRun> => {
      if (stop.aborted) throw new Error('stopped')
      // Only the control leaves a green run with which later runs are compared.
      const ended = await runSuite({ ...shared, mutant, flags, keeps: mutant === CONTROL })
      writeFileSync(join(builds, `${mutant}.log`), ended.output)
      return ended
    }
    rmSync(join(app, PROFILE), { force: true })
    return await (plan.value.controls === null
      ? judgeAll(plan.value, suite, app, folder)
      : repeatControl(plan.value.controls, suite))
  } catch (cause) {
    if (!stop.aborted) throw cause
    console.log('Stopped.')
    return STOPPED
  } finally {
    thirdParty.closeAllConnections()
    thirdParty.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

type RunOnce = (mutant: string, flags?: readonly string[]) => Promise<SuiteRun>

async function repeatControl(times: number, suite: RunOnce): Promise<number> {
  let green = 0
  for (let index = 1; index <= times; index += 1) {
    const ended = await suite(CONTROL)
    green += ended.exitCode === 0 ? 1 : 0
    console.log(`control ${index} of ${times}: ${describeControl(ended)}`)
  }
  console.log(`${green} of ${times} runs of the control were green.`)
  return green === times ? 0 : 1
}

const describeControl = ({ exitCode, failures, warnings, tookMs }: SuiteRun): string =>
  [
    `exit code ${exitCode}, ${(tookMs / 1000).toFixed(1)} s, ${warnings.length} warnings`,
    ...(exitCode === 0 ? [] : failures.map((sentence) => `  ${sentence.replaceAll('\n', '\n  ')}`)),
  ].join('\n')

async function judgeAll({ only, columns }: Plan, suite: RunOnce, app: string, folder: string): Promise<number> {
  const plain = columns.includes('without') ? await runControl(suite, 'without a profile') : null
  const learned = columns.includes('with') ? await learn(suite, app, folder) : null
  if (typeof learned === 'string') console.log(learned)
  const compared = typeof learned === 'string' ? null : learned

  const rows: Row[] = []
  for (const mutant of only) {
    const judge = async (control: RunSentences | null): Promise<Judgement | null> =>
      control === null ? null : judgeMutant(await suite(mutant.name), control, mutant)
    rmSync(join(app, PROFILE), { force: true })
    const without = await judge(plain)
    if (compared !== null) copyFileSync(compared.kept, join(app, PROFILE))
    const row = { mutant, without, with: await judge(compared?.control ?? null) }
    rows.push(row)
    console.log(describeRow(row))
  }
  console.log(`\n${mutantTable(rows)}\n\n${totals(rows).join('\n')}`)
  const isGreen = [plain, compared?.control].every((control) => !control || control.exitCode === 0)
  if (!isGreen) console.log('A run of the control was not green, so findings may be false alarms.')
  const isBroken = rows.some((row) => row.without?.outcome === 'broken' || row.with?.outcome === 'broken')
  return isGreen && !isBroken ? 0 : 1
}

interface Learned {
  /** A copy of the profile. */
  readonly kept: string
  /** Runs of the control that were compared with it. */
  readonly control: RunSentences
}

/** Makes a profile from green runs of the control. @returns a sentence when there is none */
async function learn(suite: RunOnce, app: string, folder: string): Promise<Learned | string> {
  if (!(LEARN in RUN_FLAGS)) return `waystation run has no flag ${LEARN}, so the column with a profile is empty.`
  let green = 0
  for (let index = 1; index <= MOST_LEARNING_RUNS && green < CONTROL_RUNS; index += 1) {
    const ended = await suite(CONTROL, [LEARN])
    green += ended.exitCode === 0 ? 1 : 0
    console.log(`control with ${LEARN}, ${index}: ${describeControl(ended)}`)
  }
  if (!existsSync(join(app, PROFILE)))
    return `waystation run ${LEARN} wrote no ${PROFILE}, so the column with a profile is empty.`
  const kept = join(folder, PROFILE)
  copyFileSync(join(app, PROFILE), kept)
  return { kept, control: await runControl(suite, 'with the profile') }
}

async function runControl(suite: RunOnce, how: string): Promise<RunSentences> {
  const runs: SuiteRun[] = []
  for (let index = 1; index <= CONTROL_RUNS; index += 1) {
    const ended = await suite(CONTROL)
    runs.push(ended)
    console.log(`control ${how}, ${index} of ${CONTROL_RUNS}: ${describeControl(ended)}`)
  }
  return mergeControls(runs)
}

/** A server of somebody else, on another origin than the app. */
async function startThirdParty(): Promise<Server> {
  const server = createServer((_request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', 'sentry-trace, baggage, traceparent')
    response.setHeader('content-type', 'application/json')
    response.end('{"rate":7}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
