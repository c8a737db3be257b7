import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { explainFailure } from './explain-failure.js'
import { beginProgress } from './progress.js'
import { runStep } from './run-step.js'

/** npm writes this at the very end of an installation: what it says is installed, is. */
const INSTALLED = 'node_modules/.package-lock.json'

/**
 * Why packages have to be installed, or `null`. Compares with what npm itself recorded, so that a person's own
 * `npm install` counts, and an interrupted one does not.
 * @param {string} root
 * @returns {string | null}
 */
export function whyInstall(root) {
  const installedFile = join(root, INSTALLED)
  if (!existsSync(installedFile)) return 'no packages are installed'
  const wanted = readPackages(join(root, 'package-lock.json'))
  const installed = readPackages(installedFile)
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue
    const found = installed[path]
    // Packages of other platforms are in the lock and rightly not here.
    if (found === undefined && (entry.optional || entry.devOptional)) continue
    if (found?.version !== entry.version || found?.integrity !== entry.integrity) return `${path} is not as locked`
  }
  return whyDatabaseFails(root)
}

/**
 * The one native package: compiled for another Node or another machine it is there and does not load. Tried in a
 * process of its own, because a wrong binary may crash.
 * @param {string} root
 * @returns {string | null}
 */
function whyDatabaseFails(root) {
  const tried = spawnSync(process.execPath, ['-e', "new (require('better-sqlite3'))(':memory:')"], {
    cwd: root,
    encoding: 'utf8',
  })
  if (tried.status === 0) return null
  return /\w*Error: .+/.exec(tried.stderr)?.[0] ?? 'better-sqlite3 does not load'
}

/**
 * Installs what package-lock.json names; development packages too, for the build and the tests need them.
 * @param {{ root: string, logFile: string, stop: AbortSignal }} given
 * @returns {Promise<import('./run-step.js').SetUpEnd>}
 */
export async function installPackages({ root, logFile, stop }) {
  const script = npmScript()
  if (script === undefined) return { ended: 'failed', why: 'npm is not found; start with npm start' }
  const progress = beginProgress('Installing packages (the first time this takes a minute or two)')
  const end = await runStep({
    script,
    args: ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--no-progress'],
    cwd: root,
    env: { ...process.env, SENTRYCLI_SKIP_DOWNLOAD: '1' },
    logFile,
    stop,
  })
  if (end.ended === 'stopped') {
    progress.end('Stopped while installing packages')
    return end
  }
  const why = end.ended === 'failed' ? explainFailure(end.log) : whyIncomplete(root, logFile)
  if (why === null) {
    progress.end('Packages are installed')
    return { ended: 'done' }
  }
  // Without npm's own record the next start installs again instead of trusting half an installation.
  rmSync(join(root, INSTALLED), { force: true })
  progress.end('Packages could not be installed')
  return { ended: 'failed', why }
}

/**
 * npm ends with 0 on a disk that ran full while it unpacked (measured with npm 11.19), and when a setting kept it from
 * running install scripts.
 * @param {string} root
 * @param {string} logFile
 */
function whyIncomplete(root, logFile) {
  const log = readFileSync(logFile, 'utf8')
  if (log.includes('TAR_ENTRY_ERROR')) return explainFailure(log)
  const why = whyDatabaseFails(root)
  if (why === null) return null
  return `better-sqlite3 is installed and does not load (${why}); is npm's ignore-scripts setting on?`
}

/** npm tells its scripts where it is; started without npm, the one beside this Node is meant. */
const npmScript = () =>
  [process.env.npm_execpath, join(process.execPath, '../../lib/node_modules/npm/bin/npm-cli.js')].find(
    (path) => path?.endsWith('npm-cli.js') && existsSync(path),
  )

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }>}
 */
function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {}
}
