import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What becomes a file of its own: the collector, its threads (a worker cannot be a TypeScript file on Node 20), and
 * what the supervisor needs beside it.
 * @param {string} root
 */
const entryPoints = (root) => [
  ...[
    'collector/main.ts',
    ...['up', 'dev'].map((verb) => `collector/launch/${verb}.ts`),
    ...['redigest', 'run', 'check', 'wait', 'tail', 'doctor'].map((verb) => `collector/cli/${verb}.ts`),
  ].filter((path) => existsSync(join(root, path))),
  'collector/launch/follow-parent.js',
  'collector/launch/close-streams.js',
  'collector/cli/config-thread.js',
  ...readdirSync(join(root, 'collector'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('-thread.ts'))
    .map((path) => `collector/${path}`),
]

/**
 * How the collector is bundled: flat into one folder, because its threads find each other beside `main.js`.
 * @param {string} root
 * @param {string} outdir
 * @returns {import('esbuild').BuildOptions}
 */
export const bundleOptions = (root, outdir) => ({
  absWorkingDir: root,
  entryPoints: entryPoints(root),
  outdir,
  entryNames: '[name]',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  external: ['better-sqlite3', 'next', '@next/env', 'esbuild'],
  // CommonJS packages inside an ES module still call `require`.
  banner: {
    js: "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);",
  },
  logLevel: 'silent',
})

/**
 * The tunnel as one file that an app of one's own can mount; the collector serves it.
 * @param {string} root
 * @param {string} outdir
 * @returns {import('esbuild').BuildOptions}
 */
export const tunnelBundleOptions = (root, outdir) => ({
  absWorkingDir: root,
  entryPoints: ['lib/tunnel/local-tunnel.ts'],
  outfile: join(outdir, 'tunnel.mjs'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'silent',
})
