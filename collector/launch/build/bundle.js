import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Every file of a bundle: the collector, its threads (Node 20 cannot load TypeScript in a worker), the supervisors, the
 * commands, and what processes preload.
 * @param {string} root
 */
const entryPoints = (root) => [
  ...[
    'collector/main.ts',
    ...['run-build', 'dev'].map((name) => `collector/launch/${name}.ts`),
    ...[
      'start',
      'show',
      'runs',
      'diff',
      'report',
      'redigest',
      'run/run',
      'judge/check',
      'judge/expect',
      'wait',
      'tail',
      'export/export',
      'doctor/doctor',
      'salvage',
    ].map((name) => `collector/cli/${name}.ts`),
  ].filter((path) => existsSync(join(root, path))),
  'collector/launch/follow-parent.js',
  'collector/launch/close-streams.js',
  'collector/cli/judge/config-thread.js',
  ...readdirSync(join(root, 'collector'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('-thread.ts'))
    .map((path) => `collector/${path}`),
]

/**
 * Bundles the collector into one flat folder, because `main.js` finds its threads next to itself. Built as it is, each
 * entry is one file; `splitBundles` makes the files that a build contains.
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
  // The sources are next to the build.
  sourcesContent: false,
  external: ['better-sqlite3', 'next', 'esbuild'],
  // CommonJS packages inside an ES module still call `require`.
  banner: {
    js: "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);",
  },
  logLevel: 'silent',
})

/** Entries of which a part loads with its first use: the collector's start waits for the code of these. */
const SPLIT = /\/(main|reader-thread)\.ts$/

/**
 * Splits the bundles that load parts of themselves later (`import()`) into chunks, `main-HASH.js` next to `main.js`. Each
 * entry has its own chunks: shared ones would be 30 small files, which take longer to load than they save.
 * @param {import('esbuild').BuildOptions} options of `bundleOptions`
 * @returns {import('esbuild').BuildOptions[]} to build all of them
 */
export function splitBundles(options) {
  const entries = Array.isArray(options.entryPoints) ? options.entryPoints.map(String) : []
  const whole = entries.filter((path) => !SPLIT.test(path))
  const split = entries.flatMap((path) => {
    const name = SPLIT.exec(path)?.[1]
    return name === undefined ? [] : [{ entryPoints: [path], splitting: true, chunkNames: `${name}-[hash]` }]
  })
  return [{ entryPoints: whole }, ...split].map((part) => ({ ...options, ...part }))
}

/**
 * Bundles the boards for browsers: `boards.js` and `boards.css`, which the collector serves itself.
 * @param {string} root
 * @param {string} outdir
 * @returns {import('esbuild').BuildOptions}
 */
export const boardsBundleOptions = (root, outdir) => ({
  absWorkingDir: root,
  entryPoints: ['dashboards/site/boards.tsx'],
  outdir,
  bundle: true,
  minify: true,
  platform: 'browser',
  format: 'esm',
  // As the oldest browsers that Next supports.
  target: ['chrome111', 'edge111', 'firefox111', 'safari16.4'],
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.WAYSTATION_BOARDS': '"standalone"' },
  legalComments: 'none',
  logLevel: 'silent',
})

/**
 * Bundles the tunnel into one file, which the collector serves to other apps.
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
