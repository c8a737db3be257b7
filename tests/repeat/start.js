import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { neutralEnvironment } from '../../collector/launch/build/build.js'
import { prepare } from '../../collector/launch/build/prepare.js'
import { listenForStop } from '../../collector/launch/stop-requests.js'
import { findInstalledBrowser, findPlaywrightsBrowser } from '../../collector/launch/test/browser.js'
import { failuresIn } from './flakes.js'
import { allParts } from './parts.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const HELP = `npm run test:repeat [-- PART… [--times N]]

Repeats the tests of the evaluator and of the kit and lists those that did not pass every time: unit and vitest 100 times,
playwright 20 times, golden once, with 20 runs of a production app. It takes hours on a small machine and is not part of npm test.`

const args = process.argv.slice(2)
if (args.includes('--help')) {
  console.log(HELP)
  process.exit(0)
}
const at = args.indexOf('--times')
const times = at === -1 ? null : Number(args[at + 1])
if (times !== null && !(Number.isInteger(times) && times > 0))
  refuse(`--times must be a positive integer, got ${JSON.stringify(args[at + 1] ?? '')}\n\n${HELP}`)
const names = at === -1 ? args : args.toSpliced(at, 2)

const folder = mkdtempSync(join(tmpdir(), 'waystation-repeat-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const stop = listenForStop()
const report = join(folder, 'report.json')
const parts = allParts(report)
const unknown = names.find((name) => !parts.some((part) => part.name === name))
if (unknown !== undefined)
  refuse(`unknown part ${JSON.stringify(unknown)}; valid: ${parts.map(({ name }) => name).join(', ')}\n\n${HELP}`)
const chosen = parts.filter(({ name }) => names.length === 0 || names.includes(name))

const env = neutralEnvironment(process.env, 'test')
/** A build contains the bundled collector too. */
const kind = /** @type {const} */ (['build', 'collector']).find((need) =>
  chosen.some(({ needs }) => needs.includes(need)),
)
if (kind !== undefined) {
  const built = await prepare({ root: ROOT, needs: kind, stop: stop.first })
  if (built.ended === 'failed') refuse(`${built.why}.`)
  if (built.ended === 'stopped') process.exit(130)
  if (built.ended === 'done') env.WAYSTATION_BUILD = built.folder
}
if (chosen.some(({ needs }) => needs.includes('browser'))) {
  const browser = process.env.WAYSTATION_CHROMIUM ?? findPlaywrightsBrowser(ROOT) ?? findInstalledBrowser(process.env)
  if (browser === null) refuse('no Chromium found; set WAYSTATION_CHROMIUM to its path')
  else env.WAYSTATION_CHROMIUM = browser
}

/** @type {import('node:child_process').ChildProcess | null} */
let running = null
function endHere() {
  running?.kill()
  process.exit(130)
}
if (stop.first.aborted) endHere()
stop.first.addEventListener('abort', endHere)

let failed = 0
for (const part of chosen) {
  const most = times ?? part.times
  /** @type {import('./flakes.js').Run[]} */
  const runs = []
  for (let index = 1; index <= most; index++) {
    const run = await runOnce(part)
    runs.push(run)
    const red = [...run].flatMap(([name, failure]) => (failure === null ? [] : [{ name, failure }]))
    console.log(`${part.name} ${index} of ${most}: ${run.size - red.length} passed, ${red.length} failed`)
    for (const { name, failure } of red) console.log(`  ${name}\n${failure.replace(/^/gm, '    ')}`)
  }
  const failures = failuresIn(runs)
  failed += failures.length
  console.log(
    `${part.name}: ${most} runs, ${failures.length === 0 ? 'all tests passed every time' : 'some tests did not pass every time:'}`,
  )
  for (const { name, failed: often, of } of failures) console.log(`  ${often} of ${of}: ${name}`)
}
process.exit(failed === 0 ? 0 : 1)

/**
 * @param {import('./parts.js').Part} part
 * @returns {Promise<import('./flakes.js').Run>}
 */
async function runOnce({ script, args, env: own, read }) {
  rmSync(report, { force: true })
  const child = spawn(process.execPath, [join(ROOT, 'node_modules', script), ...args], {
    cwd: ROOT,
    env: { ...env, ...own },
    stdio: 'ignore',
  })
  running = child
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (!existsSync(report)) return new Map([['the run', 'left no report']])
  const run = read(readFileSync(report, 'utf8'))
  // The run failed outside of a test.
  return code === 0 || [...run.values()].some((failure) => failure !== null)
    ? run
    : new Map([...run, ['the run', `exited with ${code}`]])
}

/**
 * @param {string} sentence
 * @returns {never}
 */
function refuse(sentence) {
  console.error(sentence)
  process.exit(2)
}
