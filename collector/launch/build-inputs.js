import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folders that end up in the build. */
const FOLDERS = ['app', 'collector', 'dashboards', 'lib', 'public']
/** Files beside them that do, by name. */
const FILES =
  /^(?:next\.config\.(?:js|mjs|ts)|(?:instrumentation|instrumentation-client|proxy|middleware|sentry\.\w+\.config)\.(?:js|ts)|postcss\.config\.\w+|package\.json|package-lock\.json|tsconfig\.json)$/

/**
 * The name of the build that these sources give on this Node: a hash of all that the build reads. Variables are not
 * part of it, because the build sees none that matter (see `buildEnvironment`).
 * @param {string} root
 * @returns {string}
 */
export function nameBuild(root) {
  const hash = createHash('sha256').update(`node ${process.version} ${process.platform} ${process.arch}\0`)
  for (const path of listInputs(root)) {
    const bytes = readFileSync(join(root, path))
    // With its length, so that no two trees can read as the same stream.
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex').slice(0, 16)
}

/**
 * @param {string} root
 * @returns {string[]} relative paths, in an order that every machine agrees on
 */
function listInputs(root) {
  const top = readdirSync(root, { withFileTypes: true })
  const files = top.filter((entry) => entry.isFile() && FILES.test(entry.name)).map((entry) => entry.name)
  const folders = top.filter((entry) => entry.isDirectory() && FOLDERS.includes(entry.name))
  return [...files, ...folders.flatMap((folder) => listFiles(root, folder.name))].sort()
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function listFiles(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.'))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      return entry.isDirectory() ? listFiles(root, path) : [path]
    })
}

/** Variables of ours, of Sentry's and of Next's, and those that every server reads. */
const SETTINGS = /^(?:WAYSTATION_|SENTRY_|NEXT_|__NEXT_|NODE_ENV$|PORT$|HOSTNAME$)/

/**
 * The environment without anybody's settings.
 * @param {NodeJS.ProcessEnv} from
 * @param {'production' | 'test'} mode
 * @returns {NodeJS.ProcessEnv}
 */
export const neutralEnvironment = (from, mode) => ({
  ...Object.fromEntries(Object.entries(from).filter(([name]) => !SETTINGS.test(name))),
  NODE_ENV: mode,
  NEXT_TELEMETRY_DISABLED: '1',
})

/**
 * The environment of a build: its result depends on its sources alone. `.env` files count as read already.
 * @param {NodeJS.ProcessEnv} from
 * @returns {NodeJS.ProcessEnv}
 */
export const buildEnvironment = (from) => ({ ...neutralEnvironment(from, 'production'), __NEXT_PROCESSED_ENV: 'true' })
