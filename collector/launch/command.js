import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { prepare } from './build/prepare.js'
import { exitWhenWritten, ignoreClosedOutput } from './command-output.js'
import { INTERRUPTED, listenForStop } from './stop-requests.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const UP = `npm start

Starts the app and the collector, and prints their addresses. Installs packages and builds first, where that is needed.
Ctrl-C stops both; a second Ctrl-C kills them.

  PORT                 port of the app (default: 3000, or the next free port)
  WAYSTATION_PORT      port of the collector (default: 8969)
  WAYSTATION_DATA      folder for data (default: .waystation)
  WAYSTATION_UPSTREAM  DSN to relay to (default: none; nothing leaves this machine)`

const DEV = `npm run dev

Like npm start, for work on Waystation itself: when a source file changes, the app reloads and the collector restarts.`

const TEST = `npm test [-- PART…] [-- PATH…] [-- --changed[=REF]]

Runs all parts of the tests, or only the named ones: lint, types, unit, repo, flow, faults, e2e. Installs, builds and gets
a browser first, where a part needs them. The last line counts: N passed, N failed, N skipped.

  PATH                 runs only these test files, for example npm test -- tests/flow/relay.test.ts
  --changed[=REF]      runs only what the changes since REF can break (default: HEAD, so uncommitted changes)

One more part runs only when named: corpus posts the files of the folder CORPUS.`

const REDIGEST = `npm run redigest

Rebuilds the index (traces, errors, signals) from the stored envelopes. Pages show the old index until the new one is
complete. When no collector runs, it starts one that relays nothing. Received envelopes, pending deliveries and outcomes
stay as they are.

  WAYSTATION_PORT      port of the collector (default: 8969)
  WAYSTATION_DATA      folder for data (default: .waystation)
  WAYSTATION_TOKEN     token of the collector, if it requires one`

/**
 * Runs `up`, `dev`, `test` or `redigest`, and exits.
 * @param {readonly string[]} words the arguments of `start.js`
 * @returns {Promise<void>}
 */
export async function runCommand(words) {
  ignoreClosedOutput()
  const stop = listenForStop()
  // Clean-up listens for `exit`.
  await exitWhenWritten(await dispatch(words, stop))
}

/**
 * @param {readonly string[]} words
 * @param {import('./stop-requests.js').StopRequests} stop
 * @returns {Promise<number>}
 */
async function dispatch([command = 'up', ...rest], stop) {
  const wantsHelp = rest.includes('--help') || rest.includes('-h')
  switch (command) {
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
      console.error(`unknown command ${JSON.stringify(command)}; valid commands: up, dev, test, redigest`)
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
  if (rest.length > 0) return refuseArgument(rest[0])
  const prepared = await prepare({ root: ROOT, needs, stop: stop.first })
  if (prepared.ended !== 'done') return explainEnd(prepared)
  const file = needs === 'bundle' ? 'dev.js' : 'collector/run-build.js'
  // Continues in this process: npm and the terminal signal one supervisor, from the first line to the last.
  const { supervise } = await import(pathToFileURL(join(prepared.folder, file)).href)
  return supervise({ root: ROOT, folder: prepared.folder, stop })
}

/**
 * @param {readonly string[]} rest
 * @param {import('./stop-requests.js').StopRequests} stop
 * @returns {Promise<number>}
 */
async function redigest(rest, stop) {
  if (rest.length > 0) return refuseArgument(rest[0])
  const prepared = await prepare({ root: ROOT, needs: 'bundle', stop: stop.first })
  if (prepared.ended !== 'done') return explainEnd(prepared)
  const bundle = await import(pathToFileURL(join(prepared.folder, 'redigest.js')).href)
  return bundle.redigest({ root: ROOT, folder: prepared.folder, stop })
}

/**
 * @param {readonly string[]} words
 * @param {import('./stop-requests.js').StopRequests} stop
 * @returns {Promise<number>}
 */
async function test(words, stop) {
  const prepared = await prepare({ root: ROOT, needs: 'packages', stop: stop.first })
  if (prepared.ended !== 'done') return explainEnd(prepared)
  const { runTests } = await import('./test/test-run.js')
  return runTests({ root: ROOT, words, stop: stop.first })
}

/** @param {string | undefined} argument */
function refuseArgument(argument) {
  console.error(`unknown argument ${JSON.stringify(argument)}; settings are environment variables, see --help`)
  return 2
}

/** @param {Exclude<import('./build/prepare.js').Prepared, { ended: 'done' }>} prepared @returns {number} */
function explainEnd(prepared) {
  if (prepared.ended === 'stopped') return INTERRUPTED
  const where = prepared.logFile === null ? '' : ` The whole log is ${prepared.logFile}.`
  console.error(`Waystation cannot start: ${prepared.why}.${where}`)
  return 1
}

/** @param {string} text */
function print(text) {
  console.log(text)
  return 0
}
