import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildsFolder, collectorFolder, completeBuild, pruneBuilds, useBuild } from './build-folder.js'
import { buildEnvironment, nameBuild } from './build-inputs.js'
import { bundleOptions, tunnelBundleOptions } from './bundle.js'
import { explainFailure } from './explain-failure.js'
import { beginProgress } from './progress.js'
import { runStep } from './run-step.js'

/** Sources that change while they are built are built again, this often. */
const ATTEMPTS = 3
const CHANGES_TOO_FAST = 'the sources change faster than they can be built'

/**
 * The complete build of the sources as they are, if there is one. From now on it counts as used by this process.
 * @param {string} root
 * @returns {string | null} its folder
 */
export function findBuild(root) {
  const folder = join(buildsFolder(root), nameBuild(root))
  return useBuild(folder) ? folder : null
}

/**
 * The collector as the sources have it, from a build or bundled alone, if it is there. From now on it counts as used.
 * @param {string} root
 * @returns {string | null} the folder that holds `collector/`
 */
export function findCollector(root) {
  const name = nameBuild(root)
  const folders = [join(buildsFolder(root), name), collectorFolder(root, name)]
  return folders.find(useBuild) ?? null
}

/**
 * Bundles the collector alone into a folder named by what was bundled. The lock must be held.
 * @param {{ root: string, logFile: string }} given
 * @returns {Promise<{ ended: 'done', folder: string } | { ended: 'failed', why: string }>}
 */
export async function bundleAlone({ root, logFile }) {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const name = nameBuild(root)
    const folder = collectorFolder(root, name)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const end = await bundleCollector(root, join(folder, 'collector'), logFile)
    const isStale = nameBuild(root) !== name
    if (end.ended === 'failed' || isStale) rmSync(folder, { recursive: true, force: true })
    if (end.ended === 'failed') return end
    if (isStale) continue
    completeBuild(folder)
    useBuild(folder)
    pruneBuilds(root)
    return { ended: 'done', folder }
  }
  return { ended: 'failed', why: CHANGES_TOO_FAST }
}

/**
 * Builds app and collector into a folder of their own, named by what was built. The lock must be held.
 * @param {{ root: string, logFile: string, stop: AbortSignal }} given
 * @returns {Promise<{ ended: 'done', folder: string } | Exclude<import('./run-step.js').SetUpEnd, { ended: 'done' }>>}
 */
export async function build({ root, logFile, stop }) {
  const progress = beginProgress('Building')
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const name = nameBuild(root)
    const folder = join(buildsFolder(root), name)
    // Half a build, which nobody uses; a complete one would not have brought us here.
    rmSync(folder, { recursive: true, force: true })
    const end = await buildInto(folder, { root, logFile, stop })
    if (end.ended !== 'done') {
      rmSync(folder, { recursive: true, force: true })
      progress.end(end.ended === 'stopped' ? 'Stopped while building' : 'The build failed')
      return end
    }
    if (nameBuild(root) !== name) continue
    completeBuild(folder)
    useBuild(folder)
    pruneBuilds(root)
    progress.end('Built')
    return { ended: 'done', folder }
  }
  progress.end('The build failed')
  return { ended: 'failed', why: CHANGES_TOO_FAST }
}

/**
 * @param {string} folder
 * @param {{ root: string, logFile: string, stop: AbortSignal }} given
 * @returns {Promise<import('./run-step.js').SetUpEnd>}
 */
async function buildInto(folder, { root, logFile, stop }) {
  mkdirSync(folder, { recursive: true })
  const bundled = await bundleCollector(root, join(folder, 'collector'), logFile)
  if (bundled.ended !== 'done') return bundled
  writeOwnTsconfig(folder)
  const end = await runStep({
    script: join(root, 'node_modules/next/dist/bin/next'),
    args: ['build'],
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
  // Next writes this last. A build whose worker dies quietly ends with 0 and without it (measured with 16.4).
  if (end.ended === 'done' && !existsSync(join(folder, 'next/BUILD_ID')))
    return { ended: 'failed', why: 'Next ended before its build was finished' }
  return end
}

/**
 * Bundles the collector, its threads and the supervisor.
 * @param {string} root
 * @param {string} outdir
 * @param {string} logFile
 * @returns {Promise<{ ended: 'done' } | { ended: 'failed', why: string }>}
 */
export async function bundleCollector(root, outdir, logFile) {
  const { build: bundle, formatMessages, stop } = await import('esbuild')
  try {
    await bundle(bundleOptions(root, outdir))
    await bundle(tunnelBundleOptions(root, outdir))
    return { ended: 'done' }
  } catch (cause) {
    if (!(cause instanceof Error) || !('errors' in cause) || !Array.isArray(cause.errors)) throw cause
    const text = (await formatMessages(cause.errors, { kind: 'error' })).join('\n')
    appendFileSync(logFile, text)
    return { ended: 'failed', why: explainFailure(text) }
  } finally {
    // Its service would stay for as long as the supervisor does.
    await stop()
  }
}

/**
 * Next completes a tsconfig.json that it finds wanting, but never one that extends another.
 * @param {string} folder of a build, two below the root
 */
export const writeOwnTsconfig = (folder) =>
  writeFileSync(join(folder, 'tsconfig.json'), '{ "extends": "../../tsconfig.json" }\n')

/**
 * Next writes the folder of its latest build into next-env.d.ts, and the type check would break when that build is
 * removed. The routes' types are not used, so they are left out.
 * @param {string} root
 */
export const writeRouteFreeTypes = (root) =>
  writeFileSync(
    join(root, 'next-env.d.ts'),
    '/// <reference types="next" />\n/// <reference types="next/image-types/global" />\n',
  )
