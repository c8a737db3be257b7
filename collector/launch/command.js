import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { keepQuietWithoutReader } from './broken-pipe.js'
import { prepare } from './prepare.js'
import { listenForStop } from './stop-requests.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const UP = `npm start

Installs packages if needed, builds if the sources changed, starts the app and the collector, and prints where they are.
Ctrl-C stops both; a second Ctrl-C forces.

  PORT                 the app's port (3000; the next free one when taken)
  WAYSTATION_PORT      the collector's port (8969)
  WAYSTATION_DATA      where data is kept (.waystation)
  WAYSTATION_UPSTREAM  the DSN to relay to; without it nothing leaves this machine`

const DEV = `npm run dev

Like npm start, for working on Waystation itself: the app reloads, and the collector restarts, when a source changes.`

const TEST = `npm test [-- PART…]

Sets itself up and runs every part, or only the ones named: lint, types, unit, repo, flow, faults, e2e.
Two more run only when named: corpus posts every body of the folder that CORPUS names; soak is ten minutes of load.
The last line counts: N passed, N failed, N skipped.`

const REDIGEST = `npm run redigest

Makes all rows (traces, errors, signals) anew from the record, while the collector goes on: the old rows are shown until
the new ones are whole. Where no collector runs, one is started for it that relays nothing. What was received, what is
pending and what became of it are not touched.

  WAYSTATION_PORT      where the collector is asked (8969)
  WAYSTATION_DATA      where data is kept (.waystation)
  WAYSTATION_TOKEN     where one guards the collector`

/**
 * Runs `up`, `dev`, `test` or `redigest`, and ends the process with its exit code.
 * @param {readonly string[]} words as typed behind `start.js`
 * @returns {Promise<void>}
 */
export async function runCommand(words) {
  keepQuietWithoutReader(process.stdout)
  keepQuietWithoutReader(process.stderr)
  const stop = listenForStop()
  const code = await dispatch(words, stop)
  // Nothing may keep us once the work is done; what must happen at the end listens for `exit`.
  process.exit(code)
}

/**
 * @param {readonly string[]} words
 * @param {import('./stop-requests.js').StopRequests} stop
 * @returns {Promise<number>}
 */
async function dispatch([verb = 'up', ...rest], stop) {
  const wantsHelp = rest.includes('--help') || rest.includes('-h')
  switch (verb) {
    case 'up':
      return wantsHelp ? print(UP) : up('build', rest, stop)
    case 'dev':
      return wantsHelp ? print(DEV) : up('bundle', rest, stop)
    case 'test':
      return wantsHelp ? print(TEST) : test(rest, stop)
    case 'redigest':
      return wantsHelp ? print(REDIGEST) : redigest(rest, stop)
    case '--help':
    case '-h':
    case 'help':
      return print([UP, DEV, TEST, REDIGEST].join('\n\n'))
    default:
      console.error(`There is no command ${JSON.stringify(verb)}; there are up, dev, test and redigest.`)
      return 2
  }
}

/**
 * @param {'build' | 'bundle'} needs
 * @param {readonly string[]} rest
 * @param {import('./stop-requests.js').StopRequests} stop
 * @returns {Promise<number>}
 */
async function up(needs, rest, stop) {
  if (rest.length > 0) {
    console.error(`${JSON.stringify(rest[0])} is not understood; settings are variables, see --help.`)
    return 2
  }
  const prepared = await prepare({ root: ROOT, needs, stop: stop.first })
  if (prepared.ended !== 'done') return explainEnd(prepared)
  const isDev = needs === 'bundle'
  const bundles = isDev ? prepared.folder : join(prepared.folder, 'collector')
  const file = pathToFileURL(join(bundles, isDev ? 'dev.js' : 'up.js')).href
  // The same process goes on: one supervisor from the first line to the last, for signals and for npm alike.
  const { supervise } = await import(file)
  return supervise({ root: ROOT, folder: prepared.folder, stop })
}

/**
 * @param {readonly string[]} rest
 * @param {import('./stop-requests.js').StopRequests} stop
 * @returns {Promise<number>}
 */
async function redigest(rest, stop) {
  if (rest.length > 0) {
    console.error(`${JSON.stringify(rest[0])} is not understood; settings are variables, see --help.`)
    return 2
  }
  const prepared = await prepare({ root: ROOT, needs: 'bundle', stop: stop.first })
  if (prepared.ended !== 'done') return explainEnd(prepared)
  const made = await import(pathToFileURL(join(prepared.folder, 'redigest.js')).href)
  return made.redigest({ root: ROOT, folder: prepared.folder, stop })
}

/**
 * @param {readonly string[]} parts
 * @param {import('./stop-requests.js').StopRequests} stop
 * @returns {Promise<number>}
 */
async function test(parts, stop) {
  const prepared = await prepare({ root: ROOT, needs: 'packages', stop: stop.first })
  if (prepared.ended !== 'done') return explainEnd(prepared)
  const { runTests } = await import('./test-run.js')
  return runTests({ root: ROOT, parts, stop: stop.first })
}

/**
 * @param {Exclude<import('./prepare.js').Prepared, { ended: 'done' }>} prepared
 * @returns {number}
 */
function explainEnd(prepared) {
  if (prepared.ended === 'stopped') return 130
  const where = prepared.logFile === null ? '' : ` The whole log is ${prepared.logFile}.`
  console.error(`Waystation cannot start: ${prepared.why}.${where}`)
  return 1
}

/** @param {string} text */
function print(text) {
  console.log(text)
  return 0
}
