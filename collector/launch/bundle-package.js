import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bundleOptions } from './bundle.js'

/**
 * What another project imports of the package: the name behind `waystation/`, and the source it is.
 * @type {Readonly<Record<string, string>>}
 */
export const PACKAGE_ENTRIES = {
  config: 'lib/verdict/expectations/define-config.ts',
  playwright: 'lib/kit/playwright/index.ts',
  server: 'lib/kit/server/stamp-server.ts',
  tunnel: 'lib/tunnel/local-tunnel.ts',
  vitest: 'lib/kit/vitest/index.ts',
}

/**
 * What is not bundled: the native package, the bundler that reads configurations, what reads `.env` files (it comes without
 * the text of its licence), and the runners of whoever tests.
 */
const EXTERNAL = ['better-sqlite3', 'esbuild', '@next/env', '@playwright/test', 'vitest']

/**
 * The collector and its commands, as they lie in the package: with all that they need but what is `EXTERNAL`.
 * @param {string} root
 * @param {string} outdir
 * @returns {import('esbuild').BuildOptions}
 */
export function packagedCollectorOptions(root, outdir) {
  const options = bundleOptions(root, join(outdir, 'collector'))
  const ofTheApp = /\/collector\/cli\/(?:up|dev|redigest)\.ts$/
  const entryPoints = Array.isArray(options.entryPoints) ? options.entryPoints : []
  return {
    ...options,
    ...PACKAGED,
    // What starts the app is of use only where the app is.
    entryPoints: entryPoints.filter((path) => typeof path === 'string' && !ofTheApp.test(`/${path}`)),
    external: EXTERNAL,
  }
}

/**
 * The modules that another project imports, which share what they have in common.
 * @param {string} root
 * @param {string} outdir
 * @returns {import('esbuild').BuildOptions}
 */
export const packagedEntryOptions = (root, outdir) => ({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(Object.entries(PACKAGE_ENTRIES).filter(([, path]) => existsSync(join(root, path)))),
  outdir,
  chunkNames: 'shared/[name]-[hash]',
  splitting: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'silent',
  ...PACKAGED,
  external: EXTERNAL,
})

/** Names stay as they are written, so that a stack from a bug report can be read; their maps would double the package. */
const PACKAGED = /** @type {const} */ ({ sourcemap: false, metafile: true, legalComments: 'none' })
