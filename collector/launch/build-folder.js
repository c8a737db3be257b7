import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from './process-group.js'
import { livingProcess, ownIdentity } from './process-identity.js'

/** Unused builds that are kept, the newest: going back to yesterday's branch should not cost a build. */
const KEPT = 2
const NAME = /^(?:collector-)?[0-9a-f]{16}$/

/**
 * Where the collector alone is bundled, for commands that need no app.
 * @param {string} root
 * @param {string} name of the build it would be part of
 */
export const collectorFolder = (root, name) => join(buildsFolder(root), `collector-${name}`)

/** Everything that is made from the sources, beside them and ignored by git. */
export const buildsFolder = (/** @type {string} */ root) => join(root, '.build')

/**
 * Marks a build as used by this process, then looks whether it is there. In this order, and with `pruneBuilds` in the
 * opposite one, nobody starts from a folder that is being removed.
 * @param {string} folder
 * @returns {boolean} is it there and complete?
 */
export function useBuild(folder) {
  if (!existsSync(folder)) return false
  const users = join(folder, 'pids')
  mkdirSync(users, { recursive: true })
  const mark = join(users, String(process.pid))
  writeFileSync(mark, ownIdentity())
  process.once('exit', () => rmSync(mark, { force: true }))
  return existsSync(join(folder, 'complete'))
}

/**
 * Written last: a folder without it is half a build.
 * @param {string} folder
 */
export const completeBuild = (folder) => writeFileSync(join(folder, 'complete'), `${new Date().toISOString()}\n`)

/**
 * Removes the builds that nobody uses, but for the newest two; bundles of the collector alone likewise. The lock must be held.
 * @param {string} root
 */
export function pruneBuilds(root) {
  const names = readdirSync(buildsFolder(root)).filter((name) => NAME.test(name))
  // A build takes a minute and a bundle a second: neither may cost the other its place.
  for (const whole of [true, false]) {
    pruneFolders(
      names.filter((name) => !name.startsWith('collector-') === whole).map((name) => join(buildsFolder(root), name)),
    )
  }
}

/** @param {readonly string[]} folders */
function pruneFolders(folders) {
  const unused = folders
    .filter((folder) => usersOf(folder).length === 0)
    .map((folder) => ({ folder, madeAt: madeAt(folder) }))
    .sort((a, b) => b.madeAt - a.madeAt)
  for (const { folder } of unused.slice(KEPT)) {
    rmSync(join(folder, 'complete'), { force: true })
    if (usersOf(folder).length > 0) completeBuild(folder)
    else rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Who runs from these builds, this process left out.
 * @param {string} root
 * @returns {number[]} pids
 */
export const runningFrom = (root) =>
  namesIn(buildsFolder(root))
    .filter((name) => NAME.test(name))
    .flatMap((name) => usersOf(join(buildsFolder(root), name)))
    .filter((pid) => pid !== process.pid)

/** @param {string} folder */
const usersOf = (folder) =>
  namesIn(join(folder, 'pids'))
    .map((name) => livingProcess(readFileSync(join(folder, 'pids', name), 'utf8')))
    .filter((pid) => pid !== null)

/** @param {string} folder */
const madeAt = (folder) => {
  const marker = join(folder, 'complete')
  return existsSync(marker) ? statSync(marker).mtimeMs : 0
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder)
  } catch (cause) {
    if (hasCode(cause, 'ENOENT', 'ENOTDIR')) return []
    throw cause
  }
}
