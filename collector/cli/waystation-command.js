import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { exitWhenWritten, ignoreClosedOutput } from '../launch/command-output.js'
import { listenForStop, stoppedCode } from '../launch/stop-requests.js'
import { bundleOf, commandHelp, generalHelp } from './commands.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Commands of `npm start` and `npm run`, which a person may try here. */
const APP_COMMANDS = ['up', 'dev', 'redigest']
const USAGE_ERROR = 2
const NO_COLLECTOR = 3

/**
 * Runs `waystation` with these arguments and exits. Standard output belongs to the program that `run` starts: messages
 * go to stderr.
 * @param {readonly string[]} words
 * @returns {Promise<void>}
 */
export async function runCommand(words) {
  ignoreClosedOutput()
  await exitWhenWritten(await dispatch(words))
}

/** @param {readonly string[]} words @returns {Promise<number>} */
async function dispatch(words) {
  const [name, second] = words
  if (name === undefined) {
    console.error(generalHelp())
    return USAGE_ERROR
  }
  // Help and version work before anything is installed.
  const isHelp = (/** @type {string | undefined} */ word) => word === '--help' || word === '-h'
  if (isHelp(name) || name === 'help') {
    console.log(commandHelp(second) ?? generalHelp())
    return 0
  }
  if (name === '--version' || name === '-v') {
    console.log(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version)
    return 0
  }
  const help = isHelp(second) ? commandHelp(name) : null
  if (help !== null) {
    console.log(help)
    return 0
  }
  const packaged = packagedBuild(ROOT)
  if (packaged !== null && APP_COMMANDS.includes(name)) {
    console.error(
      'The package contains no app: waystation start starts the collector with its boards, and a clone of Waystation has npm start.',
    )
    return USAGE_ERROR
  }
  const stop = listenForStop()
  const prepared =
    packaged === null ? await prepareClone(stop.first) : { ended: /** @type {const} */ ('done'), folder: packaged }
  if (prepared.ended === 'stopped') return stoppedCode(stop.first)
  if (prepared.ended === 'failed') {
    const where = prepared.logFile === null ? '' : ` The whole log is ${prepared.logFile}.`
    console.error(`Waystation cannot start: ${prepared.why}.${where}`)
    return NO_COLLECTOR
  }
  const bundles = join(prepared.folder, 'collector')
  // Each command is a separate bundle, so that it loads only its own code.
  const { command } = await import(pathToFileURL(join(bundles, bundleOf(name))).href)
  const root = packaged === null ? ROOT : projectFolder(process.cwd())
  return command({ root, bundles, words, stop, packaged: packaged !== null })
}

/** The package does not contain the set-up, so import it only in a clone. */
const prepareClone = async (/** @type {AbortSignal} */ stop) =>
  (await import('../launch/build/prepare.js')).prepare({ root: ROOT, needs: 'collector', stop })

/**
 * Finds the bundles of an installed package, which contains no sources, no app and no pages.
 * @param {string} root of the package
 * @returns {string | null} the folder that contains `collector/`; `null` in a clone, which bundles its sources
 */
export function packagedBuild(root) {
  const folder = join(root, 'dist')
  return !existsSync(join(root, 'collector/main.ts')) && existsSync(join(folder, 'collector')) ? folder : null
}

/**
 * Finds the project whose `.env` files and data folder a command uses: the nearest folder with a package.json.
 * @param {string} from
 * @returns {string}
 */
export function projectFolder(from) {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (folder === dirname(folder)) return from
  }
}
