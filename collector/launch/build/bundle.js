import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

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
      'merge',
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
      'ask/ask',
      'init/init',
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
 * The library of MCP contains a validator of JSON schemas for what a client fills in, 1 MB with the code of six packages
 * whose licences it does not name. `mcp` requests nothing from clients.
 * @type {import('esbuild').Plugin}
 */
const withoutJsonSchemas = {
  name: 'without-json-schemas',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => ({ path, namespace: 'mcp-shims' }))
    onLoad({ filter: /./, namespace: 'mcp-shims' }, () => ({
      contents: `export { default as process } from 'node:process'
export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('waystation mcp requests nothing from clients')
  }
}`,
    }))
  },
}

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
  plugins: [withoutJsonSchemas],
  // CommonJS packages inside an ES module still call `require`.
  banner: {
    js: "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);",
  },
  logLevel: 'silent',
})

/** Entries of which a part loads with its first use: the collector's start waits for their code, and `mcp` shares that of verbs. */
const SPLIT = /\/(main|reader-thread|ask)\.ts$/

/**
 * Entries that are almost the same code, by the name of the chunks that they share: one of them runs alone, or they start
 * after all others. The package would have that code several times.
 * @type {Readonly<Record<string, RegExp>>}
 */
const SHARED = {
  query: /\/cli\/(?:judge\/expect|tail|wait)\.ts$/,
  store: /\/spool-postgres\/(?:mirror|store)-thread\.ts$/,
}

/**
 * Splits the bundles that load parts of themselves later (`import()`) into chunks, `main-HASH.js` next to `main.js`. Each
 * entry has its own chunks: shared ones would be 30 small files, which take longer to load than they save.
 * @param {import('esbuild').BuildOptions} options of `bundleOptions`
 * @returns {import('esbuild').BuildOptions[]} to build all of them
 */
export function splitBundles(options) {
  const entries = Array.isArray(options.entryPoints) ? options.entryPoints.map(String) : []
  const shared = Object.entries(SHARED).map(([name, ofGroup]) => {
    const entryPoints = entries.filter((path) => ofGroup.test(path))
    return { entryPoints, splitting: true, chunkNames: `${name}-[hash]` }
  })
  const whole = entries.filter(
    (path) => !SPLIT.test(path) && !Object.values(SHARED).some((ofGroup) => ofGroup.test(path)),
  )
  const split = entries.flatMap((path) => {
    const name = SPLIT.exec(path)?.[1]
    return name === undefined ? [] : [{ entryPoints: [path], splitting: true, chunkNames: `${name}-[hash]` }]
  })
  return [{ entryPoints: whole }, ...shared, ...split].map((part) => ({ ...options, ...part }))
}

/** The entry of the boards, and the file next to the collector's bundle that lists what is built of it. */
const BOARDS_ENTRY = 'dashboards/site/boards.tsx'
const BOARDS_MANIFEST = 'boards.json'
/** The style sheets of the boards: each page loads the first one, and the second one when its board uses it. */
const STYLE_SHEETS = ['styles', 'more-styles']
/** The folders of the second one. */
const MORE_STYLES = [
  ...['home', 'deliveries', 'losses', 'limits', 'storage', 'envelopes', 'dead-letters'],
  ...['contract', 'runs', 'stand-in'],
]
/** The worker of the boards, and the module that starts it. */
const BOARDS_WORKER = 'dashboards/traces/analysis-thread.ts'
const WORKER_START = /[\\/]dashboards[\\/]traces[\\/]analyst\.ts$/

/**
 * Bundles the boards for browsers, with a chunk for each board and the style sheets of `STYLE_SHEETS`. The name of a file
 * has its hash, so browsers keep it.
 * @param {string} root
 * @param {string} outdir
 * @returns {import('esbuild').BuildOptions}
 */
export const boardsBundleOptions = (root, outdir) => ({
  absWorkingDir: root,
  entryPoints: [BOARDS_ENTRY, ...STYLE_SHEETS],
  plugins: [boardStyles(root)],
  outdir: join(outdir, 'boards'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  splitting: true,
  bundle: true,
  minify: true,
  metafile: true,
  write: false,
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
 * One file, which loads no others.
 * @param {string} root
 * @param {string} outdir
 * @returns {import('esbuild').BuildOptions}
 */
function workerBundleOptions(root, outdir) {
  return { ...boardsBundleOptions(root, outdir), entryPoints: [BOARDS_WORKER], splitting: false, format: 'iife' }
}

/**
 * Replaces the source of the worker by its built file, which is next to the chunks.
 * @param {string} name
 * @returns {import('esbuild').Plugin}
 */
const namedWorker = (name) => ({
  name: 'named-worker',
  setup: ({ onLoad }) =>
    onLoad({ filter: WORKER_START }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(`./${basename(BOARDS_WORKER)}`, `./${name}`),
      loader: 'ts',
    })),
})

/**
 * The source of each of `STYLE_SHEETS`: tokens and base first, then the components that boards change, then boards.
 * @param {string} root
 * @returns {import('esbuild').Plugin}
 */
const boardStyles = (root) => ({
  name: 'board-styles',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:more-)?styles$/, namespace: '' }, ({ path }) => ({ path, namespace: 'board-styles' }))
    onLoad({ filter: /./, namespace: 'board-styles' }, ({ path }) => ({
      contents: stylesIn(root, path === 'more-styles'),
      resolveDir: join(root, 'dashboards'),
      loader: 'css',
    }))
  },
})

/** @param {string} root @param {boolean} more the second style sheet */
function stylesIn(root, more) {
  const order = ['ui/tokens.css', 'ui/base.css', 'ui/', 'shell/', '']
  /** @param {string} path */
  const rank = (path) => order.findIndex((start) => path.startsWith(start))
  return readdirSync(join(root, 'dashboards'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.css') && MORE_STYLES.includes(path.replace(/\/.*/, '')) === more)
    .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
    .map((path) => `@import "./${path}";`)
    .join('\n')
}

/**
 * Makes what is loaded later import the entry, which has run by then: so all modules that every page loads are shared by the
 * same chunks, and become one. Without it they are 29 files and 7 KB more.
 * @param {string} root
 * @param {readonly { readonly entryPoint?: string }[]} outputs of a build without it
 * @returns {import('esbuild').Plugin}
 */
function afterEntry(root, outputs) {
  const later = new Set(
    outputs.flatMap(({ entryPoint = '' }) => (/\.tsx?$/.test(entryPoint) ? join(root, entryPoint) : [])),
  )
  later.delete(join(root, BOARDS_ENTRY))
  const importEntry = `\nimport ${JSON.stringify(join(root, BOARDS_ENTRY))}\n`
  return {
    name: 'after-entry',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.tsx?$/ }, ({ path }) =>
        later.has(path)
          ? { contents: readFileSync(path, 'utf8') + importEntry, loader: path.endsWith('x') ? 'tsx' : 'ts' }
          : undefined,
      ),
  }
}

/**
 * Builds the boards and writes their scripts, their style sheet and the manifest by which the collector serves them.
 * @param {typeof import('esbuild').build} build
 * @param {string} root
 * @param {string} outdir
 */
export async function buildBoards(build, root, outdir) {
  // The worker first, because the boards contain the name of its file.
  const { outputFiles: workers = [] } = await build(workerBundleOptions(root, outdir))
  const options = boardsBundleOptions(root, outdir)
  const named = [...(options.plugins ?? []), ...workers.map(({ path }) => namedWorker(basename(path)))]
  const divided = await build({ ...options, minify: false, plugins: named })
  const plugins = [...named, afterEntry(root, Object.values(divided.metafile?.outputs ?? {}))]
  const { outputFiles = [], metafile = { inputs: {}, outputs: {} } } = await build({ ...options, plugins })
  const { outputs } = metafile
  const [styles = '', moreStyles = ''] = STYLE_SHEETS.map((name) =>
    Object.keys(outputs).find((path) => outputs[path]?.entryPoint === `board-styles:${name}`),
  )
  // Each board also has a style sheet of its own, which nothing loads.
  const names = [styles, moreStyles].map((path) => basename(path))
  const written = [
    ...workers,
    ...outputFiles.filter(({ path }) => path.endsWith('.js') || names.includes(basename(path))),
  ]
  mkdirSync(join(outdir, 'boards'), { recursive: true })
  for (const { path, contents } of written) writeFileSync(path, contents)
  const entries = Object.entries(outputs).filter(([path, { entryPoint }]) => path.endsWith('.js') && entryPoint)
  const [script = ''] = entries.find(([, { entryPoint }]) => entryPoint === BOARDS_ENTRY) ?? []
  const manifest = {
    script: basename(script),
    styles: basename(styles),
    moreStyles: basename(moreStyles),
    files: written.map(({ path }) => basename(path)),
    // The scripts of each page, by the module of its board.
    loads: Object.fromEntries(
      entries.map(([path, { entryPoint = '' }]) => [
        entryPoint,
        loadedBy([script, path], outputs).map((one) => basename(one)),
      ]),
    ),
    // The modules of the boards that use the second style sheet.
    needMoreStyles: entries.flatMap(([path, { entryPoint }]) =>
      usesStyles(path, moreStyles, script, outputs) ? (entryPoint ?? []) : [],
    ),
  }
  writeFileSync(join(outdir, BOARDS_MANIFEST), JSON.stringify(manifest))
  return { metafile }
}

/**
 * The files that these load before they run, themselves included.
 * @param {readonly string[]} paths
 * @param {import('esbuild').Metafile['outputs']} outputs
 * @param {boolean} andLater with what they load afterwards
 */
function loadedBy(paths, outputs, andLater = false) {
  const all = new Set(paths)
  // A set iterates over what is added meanwhile.
  for (const path of all)
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' || (andLater && kind === 'dynamic-import')) all.add(imported)
  return [...all]
}

/**
 * Does a board, or anything that it loads beyond the entry, use rules of this style sheet?
 * @param {string} board
 * @param {string} sheet
 * @param {string} entry
 * @param {import('esbuild').Metafile['outputs']} outputs
 */
function usesStyles(board, sheet, entry, outputs) {
  const rules = outputs[sheet]?.inputs ?? {}
  const shared = new Set(loadedBy([entry], outputs))
  const own = Object.fromEntries(Object.entries(outputs).filter(([path]) => !shared.has(path)))
  return loadedBy([board], own, true).some((path) =>
    Object.keys(own[path]?.inputs ?? {}).some((input) => input.endsWith('.css') && input in rules),
  )
}

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
