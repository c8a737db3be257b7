import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildsFolder, neutralEnvironment, writeRouteFreeTypes } from '../build/build.js'
import { prepare } from '../build/prepare.js'
import { isRunning, runStep } from '../processes.js'
import { getBrowser } from './browser.js'
import {
  addCounts,
  allParts,
  countsLine,
  NONE,
  neverGreenAfterCrash,
  selectChanged,
  selectNamed,
} from './test-parts.js'

/** The result of a part that could not start, and of a check that failed. */
const NOT_STARTED = { counts: { ...NONE, failed: 1 }, failed: [] }

/**
 * Runs the selected parts of the tests, all of them even if one fails, and prints the counts as the last line.
 * @param {{ root: string, words: readonly string[], stop: AbortSignal }} given `words`: the arguments of `npm test`
 * @returns {Promise<number>} the exit code
 */
export async function runTests({ root, words, stop }) {
  const output = newOutputFolder(root)
  const parts = allParts(output)
  const selected = select(root, words, parts)
  if (typeof selected === 'string') {
    console.error(selected)
    return 2
  }
  const chosen = selected.flatMap(({ name, args }) =>
    parts.filter((part) => part.name === name).map((part) => ({ ...part, args: [...part.args, ...args] })),
  )
  const requirements = await meetNeeds({ root, output, stop, needs: new Set(chosen.flatMap(({ needs }) => needs)) })
  writeRouteFreeTypes(root)

  let total = NONE
  /** @type {string[]} */
  const summary = []
  /** @type {string[]} */
  const failures = []
  for (const part of chosen) {
    if (stop.aborted) break
    console.log(`\n── ${part.name} ──`)
    const { counts, failed } = await runPart(part, { root, requirements, stop })
    failures.push(...failed)
    total = addCounts(total, counts)
    summary.push(`${part.name.padEnd(6)} ${countsLine(counts)}`)
  }
  if (stop.aborted) {
    console.error('Stopped before all parts had run.')
    return 130
  }
  console.log(`\n${[...failures, ...summary].join('\n')}\nReports and logs are in ${output}.\n${countsLine(total)}`)
  return total.failed > 0 ? 1 : 0
}

/**
 * @param {string} root
 * @param {readonly string[]} words
 * @param {readonly import('./test-parts.js').Part[]} parts
 * @returns {readonly import('./test-parts.js').Selected[] | string} a message when the arguments are wrong
 */
function select(root, words, parts) {
  const flag = words.find((word) => word.startsWith('-'))
  if (flag === undefined) return selectNamed(words, parts)
  const [name, since = 'HEAD'] = flag.split('=')
  if (name !== '--changed') return `unknown flag ${name}; valid flags: --changed, --changed=REF, --help`
  if (words.length > 1) return '--changed selects the parts itself; use it without other arguments'
  const git = (/** @type {readonly string[]} */ args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  const differing = git(['diff', '--name-only', since, '--'])
  if (differing.status !== 0) return `--changed=${since}: ${differing.stderr.trim() || 'git cannot be run'}`
  const untracked = git(['ls-files', '--others', '--exclude-standard']).stdout
  const changed = `${differing.stdout}${untracked}`.split('\n').filter((line) => line !== '')
  console.log(`${changed.length} changed ${changed.length === 1 ? 'file' : 'files'} since ${since}.`)
  return selectChanged(changed, since)
}

/**
 * The environment of the tests, and why a need could not be met.
 * @typedef {{ env: NodeJS.ProcessEnv, unmet: Map<string, string> }} Requirements
 * @param {{ root: string, output: string, stop: AbortSignal, needs: ReadonlySet<string> }} given
 * @returns {Promise<Requirements>}
 */
async function meetNeeds({ root, output, stop, needs }) {
  // Settings for `npm start` must not change the tests.
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...neutralEnvironment(process.env, 'test'), WAYSTATION_TEST_RUN: output }
  const unmet = new Map()
  if (process.env.WAYSTATION_TEST_POSTGRES) env.WAYSTATION_TEST_POSTGRES = process.env.WAYSTATION_TEST_POSTGRES
  if (needs.has('build')) {
    const built = await prepare({ root, needs: 'build', stop })
    if (built.ended === 'done') env.WAYSTATION_BUILD = built.folder
    if (built.ended === 'failed')
      unmet.set('build', `${built.why}.${built.logFile === null ? '' : ` See ${built.logFile}.`}`)
  }
  if (needs.has('browser')) {
    const logFile = join(output, 'browser.log')
    const browser = process.env.WAYSTATION_CHROMIUM
      ? { ended: /** @type {const} */ ('done'), path: process.env.WAYSTATION_CHROMIUM }
      : await getBrowser({ root, logFile, env, stop })
    if (browser.ended === 'done') env.WAYSTATION_CHROMIUM = browser.path
    if (browser.ended === 'failed') unmet.set('browser', `${browser.why}. See ${logFile}.`)
  }
  return { env, unmet }
}

/**
 * @param {import('./test-parts.js').Part} part
 * @param {{ root: string, requirements: Requirements, stop: AbortSignal }} given
 * @returns {Promise<{ counts: import('./test-parts.js').Counts, failed: readonly string[] }>}
 */
async function runPart(part, { root, requirements, stop }) {
  for (const need of part.needs) {
    const why = requirements.unmet.get(need)
    if (why === undefined) continue
    console.error(`Not run: ${why}`)
    return NOT_STARTED
  }
  const end = await runStep({
    args: [join(root, 'node_modules', part.script), ...part.args],
    cwd: root,
    env: { ...requirements.env, ...part.env },
    logFile: null,
    stop,
  })
  const endedWell = end.ended === 'done'
  if (part.report === null) return endedWell ? { counts: part.count(''), failed: [] } : NOT_STARTED
  if (!existsSync(part.report)) return NOT_STARTED
  const report = readFileSync(part.report, 'utf8')
  return { counts: neverGreenAfterCrash(part.count(report), endedWell), failed: part.listFailed(report) }
}

/** Makes a folder for this run, and removes those of runs that have ended. @param {string} root */
function newOutputFolder(root) {
  const folder = join(buildsFolder(root), 'tests')
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) {
    if (!isRunning(Number(name))) rmSync(join(folder, name), { recursive: true, force: true })
  }
  const own = join(folder, String(process.pid))
  mkdirSync(own, { recursive: true })
  return own
}
