import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explainFailure, explainSystemError } from '../explain-failure.js'
import { beginProgress, runStep } from '../processes.js'
import { build, buildsFolder, bundleCollector, findBuild, runningFrom, writeOwnTsconfig } from './build.js'
import { takeLock } from './lock.js'

/**
 * Prerequisites of a command. `packages`: installed packages. `build`: app and collector. `bundle`: the
 * collector, bundled for development. `collector`: the collector alone, for a command that runs anywhere: it installs
 * nothing and prints nothing on standard output.
 * @typedef {'packages' | 'bundle' | 'build' | 'collector'} Needs
 * `folder` contains the build; for `packages` it is the root.
 * @typedef {{ ended: 'done', folder: string } | { ended: 'stopped' } | { ended: 'failed', why: string, logFile: string | null }} Prepared
 */

/** npm writes this file at the end of an installation. */
const NPM_RECORD = 'node_modules/.package-lock.json'
/** We write this file after an installation: which lock file, for which Node. */
const STAMP = 'node_modules/.waystation-installed'
const NOT_INSTALLED = 'no packages are installed'

/**
 * Installs and builds what is missing or out of date. One process at a time: others wait and then find it done.
 * @param {{ root: string, needs: Needs, stop: AbortSignal }} given
 * @returns {Promise<Prepared>}
 */
export async function prepare({ root, needs, stop }) {
  try {
    // When nothing is to do, this takes no lock and does not wait for the build of another process.
    const why = whyInstall(root)
    const ready = why === null ? findReady(root, needs) : null
    if (ready !== null) return { ended: 'done', folder: ready }
    if (why !== null && needs === 'collector')
      return { ended: 'failed', why: `packages are not installed (${why}); run npm start in ${root}`, logFile: null }

    const print = needs === 'collector' ? console.error : console.log
    const file = join(buildsFolder(root), 'lock')
    const onWait = (/** @type {number} */ holder) =>
      print(`Process ${holder} is installing or building here; waiting for it (lock: ${file}) …`)
    const lock = await takeLock({ file, stop, onWait })
    if (lock === null) return { ended: 'stopped' }
    try {
      return await installAndBuild({ root, needs, stop })
    } finally {
      lock.release()
    }
  } catch (cause) {
    // Throws again what is no error of the file system.
    const why = explainSystemError(cause)
    return { ended: 'failed', why: `${why}; packages and builds are kept in ${root}`, logFile: null }
  }
}

/** @param {string} root @param {Needs} needs @returns {string | null} */
function findReady(root, needs) {
  if (needs === 'packages') return root
  if (needs === 'bundle') return null
  return findBuild(root, needs === 'build' ? 'app' : 'collector')
}

/**
 * Call it with the lock held.
 * @param {{ root: string, needs: Needs, stop: AbortSignal }} given
 * @returns {Promise<Prepared>}
 */
async function installAndBuild({ root, needs, stop }) {
  const why = whyInstall(root)
  if (why !== null) {
    const running = runningFrom(root)
    // npm ci removes all packages first, and a running app loads some of them late.
    if (running.length > 0 && why !== NOT_INSTALLED)
      return {
        ended: 'failed',
        why: `packages have to be installed (${why}), but process ${running.join(', ')} uses the installed ones; stop it first`,
        logFile: null,
      }
    const logFile = newLog(root, 'install')
    const end = await installPackages({ root, logFile, stop })
    if (end.ended === 'failed') return { ...end, logFile }
    if (end.ended === 'stopped') return end
  }
  const ready = findReady(root, needs)
  if (ready !== null) return { ended: 'done', folder: ready }
  const logFile = newLog(root, needs)
  const end =
    needs === 'bundle'
      ? await bundleForDevelopment(root, logFile)
      : await build({ root, kind: needs === 'build' ? 'app' : 'collector', logFile, stop })
  return end.ended === 'failed' ? { ...end, logFile } : end
}

/**
 * @param {string} root
 * @param {string} logFile
 * @returns {Promise<{ ended: 'done', folder: string } | { ended: 'failed', why: string }>}
 */
async function bundleForDevelopment(root, logFile) {
  const folder = join(buildsFolder(root), 'dev-collector')
  const end = await bundleCollector(root, folder, logFile)
  if (end.ended === 'failed') return end
  writeOwnTsconfig(folder)
  return { ended: 'done', folder }
}

/** @param {string} root @param {string} name */
function newLog(root, name) {
  const file = join(buildsFolder(root), `${name}.log`)
  writeFileSync(file, '')
  return file
}

/**
 * Why packages have to be installed, or `null`. Accepts what a person has installed with npm.
 * @param {string} root
 * @returns {string | null}
 */
export function whyInstall(root) {
  const [installedAt, stampedAt, lockedAt] = [NPM_RECORD, STAMP, 'package-lock.json'].map(
    (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  )
  if (!installedAt) return NOT_INSTALLED
  const isCurrent =
    stampedAt && stampedAt >= installedAt
      ? readFileSync(join(root, STAMP), 'utf8') === installationStamp(root)
      : installedAt >= (lockedAt ?? 0)
  return isCurrent ? null : 'package-lock.json or Node has changed since the last installation'
}

/** The database driver is compiled for one ABI of Node. @param {string} root */
function installationStamp(root) {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  return `${hash} ${process.platform} ${process.arch} ${process.versions.modules}`
}

/**
 * Runs `npm ci`, development packages included: the build and the tests need them.
 * @param {{ root: string, logFile: string, stop: AbortSignal }} given
 * @returns {Promise<import('../processes.js').SetUpEnd>}
 */
async function installPackages({ root, logFile, stop }) {
  // npm sets npm_execpath for its scripts. Without npm, use the one that is installed with this Node.
  const npm = [process.env.npm_execpath, join(process.execPath, '../../lib/node_modules/npm/bin/npm-cli.js')].find(
    (path) => path?.endsWith('npm-cli.js') && existsSync(path),
  )
  if (npm === undefined) return { ended: 'failed', why: 'npm is not found; start with npm start' }
  const endProgress = beginProgress('Installing packages (the first time this takes a minute or two)')
  const end = await runStep({
    args: [npm, 'ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--no-progress'],
    cwd: root,
    env: { ...process.env, SENTRYCLI_SKIP_DOWNLOAD: '1' },
    logFile,
    stop,
  })
  if (end.ended === 'stopped') {
    endProgress('Stopped while installing packages')
    return end
  }
  const why = end.ended === 'failed' ? explainFailure(end.log) : whyIncomplete(root, logFile)
  if (why === null) {
    writeFileSync(join(root, STAMP), installationStamp(root))
    endProgress('Packages are installed')
    return { ended: 'done' }
  }
  // Makes the next start install again.
  rmSync(join(root, NPM_RECORD), { force: true })
  endProgress('Packages could not be installed')
  return { ended: 'failed', why }
}

/**
 * npm 11 exits with 0 when the disk is full while it unpacks, and when a setting forbids install scripts.
 * @param {string} root
 * @param {string} logFile
 * @returns {string | null}
 */
function whyIncomplete(root, logFile) {
  const log = readFileSync(logFile, 'utf8')
  if (log.includes('TAR_ENTRY_ERROR')) return explainFailure(log)
  const args = ['-e', "new (require('better-sqlite3'))(':memory:')"]
  const tried = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (tried.status === 0) return null
  const error = /\w*Error: .+/.exec(tried.stderr)?.[0] ?? 'it crashes'
  return `better-sqlite3 is installed but does not load (${error}); is npm's ignore-scripts setting on?`
}
