import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeRouteFreeTypes } from './build.js'
import { buildsFolder } from './build-folder.js'
import { neutralEnvironment } from './build-inputs.js'
import { getBrowser } from './get-browser.js'
import { prepare } from './prepare.js'
import { identifyProcess } from './process-identity.js'
import { runStep } from './run-step.js'
import { addCounts, countsLine, NONE, neverGreenAfterCrash } from './test-counts.js'
import { allStages } from './test-stages.js'

/** A part that could not even begin. */
const NOT_BEGUN = { ...NONE, failed: 1 }

/**
 * Runs the parts of the tests, every one whatever the others say, and prints the counts as its last line.
 * @param {{ root: string, parts: readonly string[], stop: AbortSignal }} given `parts`: names, none for all
 * @returns {Promise<number>} the exit code
 */
export async function runTests({ root, parts, stop }) {
  const output = newOutputFolder(root)
  const stages = allStages(output)
  const unknown = parts.find((part) => !stages.some(({ name }) => name === part))
  if (unknown !== undefined) {
    console.error(
      `There is no part ${JSON.stringify(unknown)}; there are ${stages.map(({ name }) => name).join(', ')}.`,
    )
    return 2
  }
  const chosen =
    parts.length === 0
      ? stages.filter(({ onlyNamed }) => !onlyNamed)
      : stages.filter(({ name }) => parts.includes(name))
  const means = await getMeans({ root, output, stop, needs: new Set(chosen.flatMap(({ needs }) => needs)) })
  writeRouteFreeTypes(root)

  let total = NONE
  /** @type {string[]} */
  const summary = []
  for (const stage of chosen) {
    if (stop.aborted) break
    console.log(`\n── ${stage.name} ──`)
    const counts = await runStage(stage, { root, means, stop })
    total = addCounts(total, counts)
    summary.push(`${stage.name.padEnd(6)} ${countsLine(counts)}`)
  }
  if (stop.aborted) {
    console.error('Stopped before the end.')
    return 130
  }
  console.log(`\n${summary.join('\n')}\nReports and logs are in ${output}.\n${countsLine(total)}`)
  return total.failed > 0 ? 1 : 0
}

/**
 * What the chosen parts need and a fresh clone lacks; each either a value or the sentence that says why not.
 * @typedef {{ env: NodeJS.ProcessEnv, missing: Map<string, string> }} Means
 * @param {{ root: string, output: string, stop: AbortSignal, needs: ReadonlySet<string> }} given
 * @returns {Promise<Means>}
 */
async function getMeans({ root, output, stop, needs }) {
  // Somebody's own settings for `npm start` are no business of the tests.
  const env = neutralEnvironment(process.env, 'test')
  const missing = new Map()
  if (needs.has('build')) {
    const built = await prepare({ root, needs: 'build', stop })
    if (built.ended === 'done') env.WAYSTATION_BUILD = built.folder
    if (built.ended === 'failed')
      missing.set('build', `${built.why}.${built.logFile === null ? '' : ` See ${built.logFile}.`}`)
  }
  if (needs.has('browser')) {
    const logFile = join(output, 'browser.log')
    const browser = process.env.WAYSTATION_CHROMIUM
      ? { ended: /** @type {const} */ ('done'), path: process.env.WAYSTATION_CHROMIUM }
      : await getBrowser({ root, logFile, env, stop })
    if (browser.ended === 'done') env.WAYSTATION_CHROMIUM = browser.path
    if (browser.ended === 'failed') missing.set('browser', `${browser.why}. See ${logFile}.`)
  }
  return { env, missing }
}

/**
 * @param {import('./test-stages.js').Stage} stage
 * @param {{ root: string, means: Means, stop: AbortSignal }} given
 * @returns {Promise<import('./test-counts.js').Counts>}
 */
async function runStage(stage, { root, means, stop }) {
  for (const need of stage.needs) {
    const why = means.missing.get(need)
    if (why === undefined) continue
    console.error(`Not run: ${why}`)
    return NOT_BEGUN
  }
  const end = await runStep({
    script: join(root, 'node_modules', stage.script),
    args: stage.args,
    cwd: root,
    env: { ...means.env, ...stage.env },
    logFile: null,
    stop,
  })
  const endedWell = end.ended === 'done'
  if (stage.report === null) return endedWell ? stage.count('') : NOT_BEGUN
  if (!existsSync(stage.report)) return NOT_BEGUN
  return neverGreenAfterCrash(stage.count(readFileSync(stage.report, 'utf8')), endedWell)
}

/**
 * A folder that is this run's alone; those of runs that are over are removed.
 * @param {string} root
 */
function newOutputFolder(root) {
  const folder = join(buildsFolder(root), 'tests')
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) {
    if (identifyProcess(Number(name)) === null) rmSync(join(folder, name), { recursive: true, force: true })
  }
  const own = join(folder, String(process.pid))
  mkdirSync(own, { recursive: true })
  return own
}
