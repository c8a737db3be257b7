import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { explainFailure } from '../explain-failure.js'
import { beginProgress, isRunning, runStep } from '../processes.js'
import { buildBoards, bundleOptions, splitBundles, tunnelBundleOptions } from './bundle.js'

/**
 * A build contains the app and the collector, or for commands that need no app the collector alone.
 * @typedef {'app' | 'collector'} BuildKind
 */

/** Folders that go into a build. */
const FOLDERS = ['app', 'collector', 'dashboards', 'lib', 'public']
/** Top-level files that go into a build. Building writes next-env.d.ts. */
const FILES = /^(?!next-env\.d\.ts$|biome\.json$)[\w.-]+\.(?:[cm]?[jt]s|json)$/
const BUILD_NAME = /^(?:collector-)?[0-9a-f]{16}$/
/** Unused builds that are kept, so that switching back to another branch needs no build. */
const KEPT = 2
/** Sources that change during a build are built again, up to this many times. */
const ATTEMPTS = 3

/** Git ignores this folder. @param {string} root */
export const buildsFolder = (root) => join(root, '.build')

/**
 * A hash of everything that a build reads, and of the Node version. Environment variables are not part of it: a build
 * sees none of ours (see `buildEnvironment`).
 * @param {string} root
 * @returns {string}
 */
export function hashSources(root) {
  const hash = createHash('sha256').update(`node ${process.version} ${process.platform} ${process.arch}\0`)
  const top = readdirSync(root, { withFileTypes: true })
  const files = top.filter((entry) => entry.isFile() && FILES.test(entry.name)).map(({ name }) => name)
  const inFolders = top
    .filter((entry) => entry.isDirectory() && FOLDERS.includes(entry.name))
    .flatMap(({ name }) => readdirSync(join(root, name), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  for (const path of [...files, ...inFolders].sort()) {
    const bytes = readFileSync(join(root, path))
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex').slice(0, 16)
}

/** @param {string} root @param {BuildKind} kind */
const folderOf = (root, kind) =>
  join(buildsFolder(root), kind === 'app' ? hashSources(root) : `collector-${hashSources(root)}`)

/**
 * Finds a complete build of the current sources and marks it as used by this process.
 * @param {string} root
 * @param {BuildKind} kind
 * @returns {string | null} its folder
 */
export function findBuild(root, kind) {
  // The build of the app contains the collector, too.
  const folders = kind === 'app' ? [folderOf(root, 'app')] : [folderOf(root, 'app'), folderOf(root, 'collector')]
  return folders.find(useBuild) ?? null
}

/**
 * Builds the current sources into a new folder, so that a running app is never changed. Call it with the lock held.
 * @param {{ root: string, kind: BuildKind, logFile: string, stop: AbortSignal }} given
 * @returns {Promise<{ ended: 'done', folder: string } | { ended: 'stopped' } | { ended: 'failed', why: string }>}
 */
export async function build({ root, kind, logFile, stop }) {
  const endProgress = kind === 'app' ? beginProgress('Building') : () => undefined
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const folder = folderOf(root, kind)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const bundled = await bundleCollector(root, join(folder, 'collector'), logFile)
    const end = bundled.ended === 'done' && kind === 'app' ? await buildApp(folder, { root, logFile, stop }) : bundled
    const isCurrent = folderOf(root, kind) === folder
    if (end.ended !== 'done' || !isCurrent) rmSync(folder, { recursive: true, force: true })
    if (end.ended !== 'done') {
      endProgress(end.ended === 'stopped' ? 'Stopped while building' : 'The build failed')
      return end
    }
    if (!isCurrent) continue
    completeBuild(folder)
    useBuild(folder)
    pruneBuilds(root)
    endProgress('Built')
    return { ended: 'done', folder }
  }
  endProgress('The build failed')
  return { ended: 'failed', why: `the sources changed during each of ${ATTEMPTS} builds` }
}

/**
 * @param {string} folder
 * @param {{ root: string, logFile: string, stop: AbortSignal }} given
 * @returns {Promise<import('../processes.js').SetUpEnd>}
 */
async function buildApp(folder, { root, logFile, stop }) {
  writeOwnTsconfig(folder)
  const end = await runStep({
    args: [join(root, 'node_modules/next/dist/bin/next'), 'build'],
    cwd: root,
    env: {
      ...buildEnvironment(process.env),
      WAYSTATION_DIST: relative(root, join(folder, 'next')),
      WAYSTATION_TSCONFIG: relative(root, join(folder, 'tsconfig.json')),
    },
    logFile,
    stop,
  })
  writeRouteFreeTypes(root)
  if (end.ended === 'failed') return { ended: 'failed', why: explainFailure(end.log) }
  // Next writes this file last. When a build worker dies, Next 16.4 still exits with 0, but without this file.
  if (end.ended === 'done' && !existsSync(join(folder, 'next/BUILD_ID')))
    return { ended: 'failed', why: 'next build exited with 0 before it finished' }
  return end
}

/**
 * Bundles the collector, its threads, the commands and the supervisor, and the files that the collector serves.
 * @param {string} root
 * @param {string} outdir
 * @param {string} logFile
 * @returns {Promise<{ ended: 'done' } | { ended: 'failed', why: string }>}
 */
export async function bundleCollector(root, outdir, logFile) {
  const esbuild = await import('esbuild')
  try {
    await Promise.all(splitBundles(bundleOptions(root, outdir)).map((options) => esbuild.build(options)))
    await esbuild.build(tunnelBundleOptions(root, outdir))
    await buildBoards(esbuild.build, root, outdir)
    return { ended: 'done' }
  } catch (cause) {
    if (!(cause instanceof Error) || !('errors' in cause) || !Array.isArray(cause.errors)) throw cause
    const text = (await esbuild.formatMessages(cause.errors, { kind: 'error' })).join('\n')
    appendFileSync(logFile, text)
    return { ended: 'failed', why: explainFailure(text) }
  } finally {
    // Otherwise its service process lives as long as the supervisor.
    await esbuild.stop()
  }
}

/**
 * Next edits a tsconfig.json that lacks its settings, but not one that extends another.
 * @param {string} folder two levels below the root
 */
export const writeOwnTsconfig = (folder) =>
  writeFileSync(join(folder, 'tsconfig.json'), '{ "extends": "../../tsconfig.json" }\n')

/**
 * Next writes the folder of its latest build into next-env.d.ts, which breaks the type check once that build is removed.
 * We do not use the types of the routes.
 * @param {string} root
 */
export const writeRouteFreeTypes = (root) =>
  writeFileSync(
    join(root, 'next-env.d.ts'),
    '/// <reference types="next" />\n/// <reference types="next/image-types/global" />\n',
  )

/**
 * Marks a build as used by this process, if it is complete. The mark comes first, so that no other process removes the
 * folder in between.
 * @param {string} folder
 */
export function useBuild(folder) {
  if (!existsSync(folder)) return false
  mkdirSync(join(folder, 'pids'), { recursive: true })
  const mark = join(folder, 'pids', String(process.pid))
  writeFileSync(mark, '')
  process.once('exit', () => rmSync(mark, { force: true }))
  return existsSync(join(folder, 'complete'))
}

/** Call it last: a folder without this file is an unfinished build. @param {string} folder */
export const completeBuild = (folder) => writeFileSync(join(folder, 'complete'), '')

/**
 * Removes old builds, except the newest two of each kind and those that a running process uses.
 * @param {string} root
 */
export function pruneBuilds(root) {
  const builds = buildsIn(root).sort((a, b) => completedAt(b) - completedAt(a))
  for (const kind of ['app', 'collector']) {
    const unused = builds.filter(
      (folder) => folder.includes('/collector-') === (kind === 'collector') && usersOf(folder).length === 0,
    )
    for (const folder of unused.slice(KEPT)) rmSync(folder, { recursive: true, force: true })
  }
}

/** Other processes that run from a build. @param {string} root @returns {number[]} pids */
export const runningFrom = (root) =>
  buildsIn(root).flatMap((folder) => usersOf(folder).filter((pid) => pid !== process.pid))

/** @param {string} root */
const buildsIn = (root) =>
  existsSync(buildsFolder(root))
    ? readdirSync(buildsFolder(root))
        .filter((name) => BUILD_NAME.test(name))
        .map((name) => join(buildsFolder(root), name))
    : []

/** @param {string} folder */
const usersOf = (folder) =>
  existsSync(join(folder, 'pids')) ? readdirSync(join(folder, 'pids')).map(Number).filter(isRunning) : []

/** @param {string} folder */
const completedAt = (folder) => statSync(join(folder, 'complete'), { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Settings of Waystation, Sentry and Next, and variables that every server reads. */
const SETTINGS = /^(?:WAYSTATION_|SENTRY_|NEXT_|__NEXT_|NODE_ENV$|PORT$|HOSTNAME$)/

/**
 * The environment without settings.
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
 * The environment of a build: its result depends on the sources only. `__NEXT_PROCESSED_ENV` makes Next skip `.env` files.
 * @param {NodeJS.ProcessEnv} from
 * @returns {NodeJS.ProcessEnv}
 */
export const buildEnvironment = (from) => ({ ...neutralEnvironment(from, 'production'), __NEXT_PROCESSED_ENV: 'true' })
