import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { plainText, plural } from '../../../lib/format'
import { parseDsn } from '../../../lib/protocol/dsn'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { explainSystemError } from '../../launch/explain-failure.js'
import { stoppedCode } from '../../launch/stop-requests.js'
import { type ArgumentError, helpOrRefuse, parseArguments } from '../arguments'
import {
  type CollectorConnection,
  type CommandInput,
  connectCollector,
  connectNearest,
  refuse,
} from '../collector-connection'
import { USAGE_ERROR } from '../exit-codes'
import { INIT_FLAGS } from '../flags.js'
import { planAgents } from './agent-files'
import { localDsnOf, probe, startCommandOf } from './finish'
import { installPackages, overrideNote } from './install'
import { dsnInUse, type Plan } from './own-files'
import { planFrameworks } from './plan'
import type { PlannedFile } from './planned-file'
import { detectFrameworks, type Framework, nothingDetected, openProject } from './project'

const NOT_DONE = 1

/**
 * `waystation init`: shows the changes that put the project of the current folder on the path, makes them, and checks the
 * path. With `--agents` it shows and writes the files with which coding agents find Waystation. Returns the exit code.
 */
export async function command({ root, bundles, words, stop, packaged }: CommandInput): Promise<number> {
  const read = readInitArguments(words.slice(1))
  if (!read.ok) return helpOrRefuse('init', read.error)
  const { agents, isDryRun, isAgreed } = read.value
  const folder = process.cwd()
  const home = packaged ? resolve(bundles, '../..') : root
  const opened = openProject(folder)
  if (!opened.ok) return refuse(USAGE_ERROR, [opened.error])
  const frameworks = read.value.app ? detectFrameworks(opened.value) : []
  if (read.value.app && frameworks.length === 0) return refuse(USAGE_ERROR, [nothingDetected(folder, opened.value)])
  if (agents && opened.value.manifest === null)
    return refuse(USAGE_ERROR, [`${folder} has no package.json: run init in the folder of your project`])

  const target = await findTarget(read.value.dsn ?? dsnInUse(opened.value), folder, {
    root,
    packaged,
    stop: stop.first,
  })
  if (!target.ok) return refuse(USAGE_ERROR, target.error)
  const { connection, dsn } = target.value
  const plan = (): Plan => {
    const project = openProject(folder)
    const setup = {
      project: project.ok ? project.value : opened.value,
      dsn,
      replacesDsn: read.value.dsn !== null,
      tunnel,
    }
    const { planned, packages } = planFrameworks(setup, frameworks)
    return { planned: [...planned, ...(agents ? planAgents(folder, home) : [])], packages }
  }
  const tunnelFile = join(bundles, 'tunnel.mjs')
  const tunnel = { text: readFileSync(tunnelFile, 'utf8'), from: shownPath(folder, tunnelFile) }
  const { planned, packages } = plan()
  const { packageManager } = opened.value
  const installing = packages.length === 0 ? null : [...packageManager.add, ...packages]
  const changed = changedFiles({ planned, packages })
  const steps = planned.flatMap((one) => ('step' in one ? [one.step] : []))

  if (frameworks.length > 0) print([`found    ${frameworks.map((name) => NAMES[name]).join(', ')}; DSN ${dsn}`])
  if (installing !== null) print([`install  ${installing.join(' ')}`, ...overrideNote(installing)])
  for (const one of planned) if ('file' in one) print(shownFile(one.file))
  for (const { title, paste } of steps)
    print([
      `to do    ${title}`,
      ...paste
        .trimEnd()
        .split('\n')
        .map((line) => `    ${line}`),
    ])
  const exitCode = steps.length === 0 ? 0 : NOT_DONE
  if (isDryRun) {
    print(['Nothing was written.'])
    return exitCode
  }

  if (changed.length > 0 || installing !== null) {
    const agreed = isAgreed ? 'yes' : await askFor(installing, changed.length, stop.first)
    if (stop.first.aborted) return stoppedCode(stop.first)
    if (agreed === null)
      return refuse(USAGE_ERROR, ['nothing was written, because nobody can be asked here: pass --yes, or --dry-run'])
    if (!/^y(?:es)?$/i.test(agreed.trim())) {
      print(['Nothing was written.'])
      return NOT_DONE
    }
    if (installing !== null) {
      const installed = await installPackages(packageManager, installing, {
        folder,
        environment: process.env,
        stop: stop.first,
      })
      if (!installed.ok && installed.error === null) return stoppedCode(stop.first)
      if (!installed.ok)
        return refuse(NOT_DONE, [`${installing.join(' ')} failed, and no file was written: ${installed.error}`])
    }
    try {
      // Planned again, because the installation changed package.json.
      for (const file of changedFiles(plan())) write(folder, file)
    } catch (error) {
      return refuse(NOT_DONE, [`The files could not be written: ${explainSystemError(error)}`])
    }
    print([
      `${plural(changed.length, 'file')} written.${agents ? ' Restart your agent, and ask it for the status of Waystation.' : ''}`,
    ])
  }
  if (frameworks.length > 0) {
    print(await probe(connection, dsn, startCommandOf(home, folder, packaged), stop.first))
    if (stop.first.aborted) return stoppedCode(stop.first)
    print([`Restart your app and open it. Its traces are at ${connection.appUrl ?? connection.url}/traces`])
  }
  if (steps.length > 0) print([`${plural(steps.length, 'step is', 'steps are')} left for you: see "to do" above.`])
  return exitCode
}

const NAMES: Readonly<Record<Framework, string>> = {
  next: 'Next',
  vite: 'Vite',
  express: 'Express',
  hono: 'Hono',
  python: 'Python',
  go: 'Go',
}

interface InitArguments {
  readonly app: boolean
  readonly agents: boolean
  readonly isDryRun: boolean
  readonly isAgreed: boolean
  readonly dsn: string | null
}

function readInitArguments(args: readonly string[]): Result<InitArguments, ArgumentError> {
  const parsed = parseArguments(args, INIT_FLAGS)
  if (!parsed.ok) return parsed
  const { has, value, positionals } = parsed.value
  const [positional] = positionals
  if (positional !== undefined) return fail(`init takes flags only, got ${JSON.stringify(positional)}`)
  const dsn = value('--dsn')
  const parsedDsn = dsn === null ? null : parseDsn(dsn)
  if (parsedDsn !== null && !parsedDsn.ok) return fail(`--dsn: ${parsedDsn.error}`)
  const agents = has('--agents')
  const app = has('--app') || !agents
  return succeed({ app, agents, isDryRun: has('--dry-run'), isAgreed: has('--yes'), dsn })
}

/** The collector and the DSN that leads to it: the named one, else that of the running collector, else the default one. */
async function findTarget(
  given: string | null,
  folder: string,
  { root, packaged, stop }: Pick<CommandInput, 'root' | 'packaged'> & { readonly stop: AbortSignal },
): Promise<Result<{ readonly connection: CollectorConnection; readonly dsn: string }, readonly string[]>> {
  const connected =
    given === null
      ? connectNearest(null, folder, { root, packaged })
      : connectCollector(new URL(given).origin, { root, packaged })
  if (!connected.ok) return connected
  const connection = connected.value
  const dsn = given ?? (await localDsnOf(connection, stop)) ?? `http://local@${new URL(connection.url).host}/1`
  return succeed({ connection, dsn })
}

const changedFiles = ({ planned }: Plan): readonly PlannedFile[] =>
  planned.flatMap((one) => ('file' in one && one.file.before !== one.file.after ? [one.file] : []))

function shownFile({ path, before, after, shown }: PlannedFile): readonly string[] {
  if (before === after) return [`as it is  ${path}`]
  return [`${before === null ? 'new' : 'changed'}  ${path}`, ...shown.map((line) => `  ${line}`)]
}

/** A path below the folder of the reader, relative to it. */
function shownPath(folder: string, path: string): string {
  const below = relative(folder, path)
  return below.startsWith('..') ? path : below
}

function write(folder: string, { path, after }: PlannedFile): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, after)
}

/** @returns `null` where nobody can be asked */
async function askFor(
  installing: readonly string[] | null,
  files: number,
  signal: AbortSignal,
): Promise<string | null> {
  if (!process.stdin.isTTY) return null
  const install = installing === null ? '' : `Run ${installing.join(' ')}`
  const written = files === 0 ? '' : `rite ${plural(files, 'file')}`
  const question = install === '' ? `W${written}` : written === '' ? install : `${install}, and w${written}`
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await lines.question(`${question}? [y/N] `, { signal })
  } catch (error) {
    if (signal.aborted) return ''
    throw error
  } finally {
    lines.close()
  }
}

function print(lines: readonly string[]): void {
  for (const line of lines) console.log(plainText(line))
}
