import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { plainText, plural } from '../../../lib/format'
import { explainSystemError } from '../../launch/explain-failure.js'
import { hasCode } from '../../launch/processes.js'
import { stoppedCode } from '../../launch/stop-requests.js'
import { helpOrRefuse, parseArguments } from '../arguments'
import { type CommandInput, refuse } from '../collector-connection'
import { USAGE_ERROR } from '../exit-codes'
import { INIT_FLAGS } from '../flags.js'
import { CLIENT_FILES, entryOf, type PlannedFile, planEntry, planSkill } from './agent-files'

const SKILL = 'skills/waystation/SKILL.md'
const COMMAND = 'collector/cli/waystation.js'

/** `waystation init --agents`: shows the files with which coding agents find Waystation, and writes them. Returns the exit code. */
export async function command({ root, bundles, words, stop, packaged }: CommandInput): Promise<number> {
  const parsed = parseArguments(words.slice(1), INIT_FLAGS)
  if (!parsed.ok) return helpOrRefuse('init', parsed.error)
  const { has, positionals } = parsed.value
  if (positionals.length > 0)
    return refuse(USAGE_ERROR, [`init takes flags only, got ${JSON.stringify(positionals[0])}`])
  if (!has('--agents')) return refuse(USAGE_ERROR, ['init requires --agents: it writes what coding agents need'])
  const project = process.cwd()
  if (!existsSync(join(project, 'package.json')))
    return refuse(USAGE_ERROR, [`${project} has no package.json: run init in the folder of your project`])

  const home = packaged ? resolve(bundles, '../..') : root
  const { planned, problems } = plan(project, home)
  const changed = planned.filter(({ before, after }) => before !== after)
  for (const { path, before, shown } of changed)
    print([`${before === null ? 'new' : 'changed'}  ${path}`, ...shown.map((line) => `  ${line}`)])
  for (const { path, before, after } of planned) if (before === after) print([`as it is  ${path}`])
  for (const problem of problems) console.error(plainText(problem))
  const rest = problems.length > 0 ? 1 : 0
  if (changed.length === 0 || has('--dry-run')) return rest

  if (!has('--yes')) {
    if (!process.stdin.isTTY)
      return refuse(USAGE_ERROR, ['nothing was written, because nobody can be asked here: pass --yes, or --dry-run'])
    const answer = await ask(`Write ${plural(changed.length, 'file')}? [y/N] `, stop.first)
    if (stop.first.aborted) return stoppedCode(stop.first)
    if (!/^y(?:es)?$/i.test(answer.trim())) {
      print(['Nothing was written.'])
      return 1
    }
  }
  try {
    for (const file of changed) write(project, file)
  } catch (error) {
    return refuse(1, [`The files could not be written: ${explainSystemError(error)}`])
  }
  print([`${plural(changed.length, 'file')} written. Restart your agent, and ask it for the status of Waystation.`])
  return rest
}

/** The files of the clients that are in use, and the skill. A problem says what to add by hand. */
function plan(
  project: string,
  home: string,
): { readonly planned: readonly PlannedFile[]; readonly problems: readonly string[] } {
  const installed = join('node_modules/waystation', COMMAND)
  const inProject = existsSync(join(project, installed))
  const planned: PlannedFile[] = []
  const problems: string[] = []
  for (const file of CLIENT_FILES) {
    if (!file.always && !existsSync(join(project, dirname(file.path)))) continue
    const called = inProject ? file.from(installed) : join(home, COMMAND)
    const one = planEntry(file, readText(join(project, file.path)), called)
    if (one.ok) planned.push(one.value)
    else problems.push(`${one.error}. Add this to its ${file.key}: "waystation": ${JSON.stringify(entryOf(called))}`)
  }
  const path = join('.claude', SKILL)
  const source = join(home, SKILL)
  const shownSource = inProject ? relative(project, source) : source
  planned.push(planSkill(path, readText(join(project, path)), readFileSync(source, 'utf8'), shownSource))
  return { planned, problems }
}

function write(project: string, { path, after }: PlannedFile): void {
  const file = join(project, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, after)
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await lines.question(question, { signal })
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
