import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, bundleAlone, bundleCollector, findBuild, findCollector, writeOwnTsconfig } from './build.js'
import { buildsFolder, runningFrom } from './build-folder.js'
import { explainSystemError } from './explain-failure.js'
import { installPackages, whyInstall } from './install.js'
import { takeLock } from './lock.js'

/**
 * What has to be there before the verb's own work: packages, and a build or a bundle of the collector. `collector` is
 * for a command that is run from anywhere: it installs nothing, and standard output is not ours.
 * @typedef {'packages' | 'bundle' | 'build' | 'collector'} Needs
 * @typedef {{ ended: 'done', folder: string } | { ended: 'stopped' } | { ended: 'failed', why: string, logFile: string | null }} Prepared
 */

/**
 * Installs and builds what is missing or stale. One start at a time: others wait, and then find it done.
 * @param {{ root: string, needs: Needs, stop: AbortSignal }} given
 * @returns {Promise<Prepared>} `folder` holds what was asked for
 */
export async function prepare({ root, needs, stop }) {
  try {
    // The common case takes no lock, so that a start is never kept waiting by somebody else's build.
    const why = whyInstall(root)
    if (why === null) {
      const folder = findReady(root, needs)
      if (folder !== null) return { ended: 'done', folder }
    } else if (needs === 'collector')
      return {
        ended: 'failed',
        why: `packages have to be installed first (${why}): npm start, in ${root}, does`,
        logFile: null,
      }
    mkdirSync(buildsFolder(root), { recursive: true })
    const say = needs === 'collector' ? console.error : console.log
    const lock = await takeLock({
      file: join(buildsFolder(root), 'lock'),
      stop,
      onWait: (holder) => say(`Process ${holder} is installing or building here; waiting for it …`),
    })
    if (lock === null) return { ended: 'stopped' }
    try {
      return await prepareLocked({ root, needs, stop })
    } finally {
      lock.release()
    }
  } catch (cause) {
    // What is thrown here is the system's no to a file or folder of ours; anything else is a bug and thrown on.
    return {
      ended: 'failed',
      why: `${explainSystemError(cause)}, and packages and builds are kept in ${root}`,
      logFile: null,
    }
  }
}

/**
 * @param {string} root
 * @param {Needs} needs
 * @returns {string | null}
 */
function findReady(root, needs) {
  if (needs === 'build') return findBuild(root)
  if (needs === 'collector') return findCollector(root)
  return needs === 'packages' ? root : null
}

/**
 * @param {{ root: string, needs: Needs, stop: AbortSignal }} given
 * @returns {Promise<Prepared>}
 */
async function prepareLocked({ root, needs, stop }) {
  const why = whyInstall(root)
  if (why !== null) {
    const running = runningFrom(root)
    // Installing removes every package first, under the feet of whoever runs from them.
    if (running.length > 0 && why !== 'no packages are installed')
      return {
        ended: 'failed',
        why: `packages have to be installed (${why}), and process ${running.join(', ')} still runs from the ones that are there; stop it first`,
        logFile: null,
      }
    const logFile = newLog(root, 'install')
    const end = await installPackages({ root, logFile, stop })
    if (end.ended === 'stopped') return end
    if (end.ended === 'failed') return { ...end, logFile }
  }
  if (needs === 'packages') return { ended: 'done', folder: root }
  const logFile = newLog(root, needs)
  if (needs === 'bundle') {
    const folder = join(buildsFolder(root), 'dev-collector')
    const end = await bundleCollector(root, folder, logFile)
    if (end.ended === 'failed') return { ...end, logFile }
    writeOwnTsconfig(folder)
    return { ended: 'done', folder }
  }
  const ready = findReady(root, needs)
  if (ready !== null) return { ended: 'done', folder: ready }
  const end = needs === 'collector' ? await bundleAlone({ root, logFile }) : await build({ root, logFile, stop })
  return end.ended === 'failed' ? { ...end, logFile } : end
}

/**
 * @param {string} root
 * @param {string} name
 */
function newLog(root, name) {
  const file = join(buildsFolder(root), `${name}.log`)
  writeFileSync(file, '')
  return file
}
