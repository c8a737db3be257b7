import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ignoreClosedOutput, listenForStop, stoppedCode } from '../launch/stop-requests.js'
import { packagedBuild, projectFolder } from './installation.js'
import { HELP, WAYSTATION_HELP } from './waystation-help.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Of npm start and its like, which somebody may look for here. */
const APP_COMMANDS = ['up', 'start', 'dev', 'redigest']
const WRONG_WORDS = 2
const NO_COLLECTOR = 3

/**
 * Runs what was typed behind `waystation`, and ends the process with its exit code. Standard output belongs to the
 * program that is run: what we have to say goes to stderr.
 * @param {readonly string[]} words
 * @returns {Promise<void>}
 */
export async function runCommand(words) {
  ignoreClosedOutput()
  process.exit(await dispatch(words))
}

/**
 * @param {readonly string[]} words
 * @returns {Promise<number>}
 */
async function dispatch(words) {
  const [first] = words
  if (first === undefined) {
    console.error(WAYSTATION_HELP)
    return WRONG_WORDS
  }
  // Help is for those, too, who have not installed anything yet.
  if (first === '--help' || first === '-h' || first === 'help') {
    console.log(helpOf(words[1]) ?? WAYSTATION_HELP)
    return 0
  }
  const help = words[1] === '--help' || words[1] === '-h' ? helpOf(first) : null
  if (help !== null) {
    console.log(help)
    return 0
  }
  const packaged = packagedBuild(ROOT)
  if (packaged !== null && APP_COMMANDS.includes(first)) {
    console.error('App and boards are no part of the package: npm start, in a clone of Waystation, starts them.')
    return WRONG_WORDS
  }
  const stop = listenForStop()
  const prepared =
    packaged === null ? await prepareHere(stop.first) : { ended: /** @type {const} */ ('done'), folder: packaged }
  if (prepared.ended === 'stopped') return stoppedCode(stop.first)
  if (prepared.ended === 'failed') {
    const where = prepared.logFile === null ? '' : ` The whole log is ${prepared.logFile}.`
    console.error(`Waystation cannot start: ${prepared.why}.${where}`)
    return NO_COLLECTOR
  }
  const bundles = join(prepared.folder, 'collector')
  // Each command is a bundle of its own, so that none waits for what another needs; the first explains a wrong word.
  const name = helpOf(first) === null ? 'run' : first
  const { command } = await import(pathToFileURL(join(bundles, `${name}.js`)).href)
  const root = packaged === null ? ROOT : projectFolder(process.cwd())
  return command({ root, bundles, words, stop, packaged: packaged !== null })
}

/** What sets up is no part of the package. */
const prepareHere = async (/** @type {AbortSignal} */ stop) =>
  (await import('../launch/prepare.js')).prepare({ root: ROOT, needs: 'collector', stop })

/**
 * @param {string | undefined} name
 * @returns {string | null} `null` where there is no such command
 */
const helpOf = (name) => Object.entries(HELP).find(([command]) => command === name)?.[1] ?? null
