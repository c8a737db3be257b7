import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildBoards, bundleOptions, splitBundles, tunnelBundleOptions } from './bundle.js'

/* The modules that another project imports as `waystation/NAME`, and their sources. */
/** @type {Readonly<Record<string, string>>} */
const SERVER_ENTRIES = {
  config: 'lib/verdict/expectations/define-config.ts',
  diagnostics: 'lib/diagnostics/local-diagnostics.ts',
  playwright: 'lib/kit/playwright/index.ts',
  server: 'lib/kit/stamp-server.ts',
  tunnel: 'lib/tunnel/local-tunnel.ts',
  vitest: 'lib/kit/vitest/index.ts',
}
/** @type {Readonly<Record<string, string>>} */
const PAGE_ENTRIES = { browser: 'lib/sdk/visitor-transport.ts' }

/** Not bundled: the native package, the bundler that reads configurations, and the test runners. */
const EXTERNAL = ['better-sqlite3', 'esbuild', '@playwright/test', 'vitest']
/** Not minified, so that stack traces in bug reports are readable. Source maps would double the package. */
const PACKAGED = /** @type {const} */ ({ sourcemap: false, metafile: true, legalComments: 'none', external: EXTERNAL })

/** Makes `dist/`, the part of the package that is built. @param {string} root */
async function makeDist(root) {
  const dist = join(root, 'dist')
  const { build } = await import('esbuild')
  rmSync(dist, { recursive: true, force: true })
  const collector = join(dist, 'collector')
  const made = [
    ...(await Promise.all(splitBundles(collectorOptions(root, dist)).map((options) => build(options)))),
    await build(entryOptions(root, dist)),
    await build(pageEntryOptions(root, dist)),
    await build({ ...tunnelBundleOptions(root, collector), metafile: true }),
    await buildBoards(build, root, collector),
  ]
  const inputs = made.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
  writeFileSync(join(dist, 'THIRD-PARTY.txt'), thirdPartyNotice(root, inputs))
  emitTypes(root, join(dist, 'types'))
}

/**
 * The collector and its commands, without those that start the app.
 * @param {string} root
 * @param {string} outdir
 * @returns {import('esbuild').BuildOptions}
 */
function collectorOptions(root, outdir) {
  const options = bundleOptions(root, join(outdir, 'collector'))
  const entryPoints = Array.isArray(options.entryPoints) ? options.entryPoints.map(String) : []
  const isForTheApp = /\/(?:run-build|dev|redigest)\.ts$/
  return { ...options, ...PACKAGED, entryPoints: entryPoints.filter((path) => !isForTheApp.test(path)) }
}

/** @param {string} root @param {string} outdir @returns {import('esbuild').BuildOptions} */
const entryOptions = (root, outdir) => ({
  absWorkingDir: root,
  entryPoints: SERVER_ENTRIES,
  outdir,
  chunkNames: 'shared/[name]-[hash]',
  splitting: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'silent',
  ...PACKAGED,
})

/**
 * The entry for pages shares no file with those for Node, so that nothing of Node gets into a page. Its dynamic imports are
 * files of their own, which the bundler of an app can load later.
 * @param {string} root @param {string} outdir @returns {import('esbuild').BuildOptions}
 */
const pageEntryOptions = (root, outdir) => ({
  ...entryOptions(root, outdir),
  entryPoints: PAGE_ENTRIES,
  chunkNames: 'browser/[name]-[hash]',
  platform: 'browser',
  target: 'es2022',
})

/** The folder of the innermost package that contains a file. */
const PACKAGE_FOLDER = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//

/** Packages whose published files contain the code of others. @type {Readonly<Record<string, readonly string[]>>} */
const INLINED = { 'node_modules/@modelcontextprotocol/server': ['node_modules/content-type'] }

/**
 * The licences of all bundled packages and of bundled data, with their full texts.
 * @param {string} root
 * @param {readonly string[]} inputs files of the bundles, relative to the root
 * @returns {string}
 * @throws when a package states no licence
 */
export function thirdPartyNotice(root, inputs) {
  const found = inputs.flatMap((path) => PACKAGE_FOLDER.exec(path)?.[1] ?? [])
  const folders = [...new Set(found.flatMap((folder) => [folder, ...(INLINED[folder] ?? [])]))].sort()
  const notices = folders.map((path) => {
    const folder = join(root, path)
    /** @type {{ name: string, version: string, license?: string }} */
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((one) => /^licen[cs]e(?:\.\w+)?$/i.test(one))
    if (license === undefined && file === undefined) throw new Error(`${name} ${version} states no licence`)
    const full = file === undefined ? licenceInReadme(folder) : readFileSync(join(folder, file), 'utf8')
    const text = full === '' ? '' : `\n${full.trim()}\n`
    return `${'-'.repeat(80)}\n${name} ${version}, licence ${license ?? 'below'}\n${text}`
  })
  // Data of others stands next to its licence: `schema.json` and `schema.license.txt`.
  const data = inputs.flatMap((path) => {
    const file = join(root, path.replace(/\.\w+$/, '.license.txt'))
    return existsSync(file)
      ? [`${'-'.repeat(80)}\n${path}, licence below\n\n${readFileSync(file, 'utf8').trim()}\n`]
      : []
  })
  return `Waystation bundles ${folders.length} packages.\n\n${[...notices, ...new Set(data)].join('\n')}`
}

/**
 * The last section of a README, where it is the licence.
 * @param {string} folder of a package
 * @returns {string} empty where there is none
 */
function licenceInReadme(folder) {
  const file = join(folder, 'README.md')
  return existsSync(file) ? (/^## licen[cs]e\s+([^#]+)$/im.exec(readFileSync(file, 'utf8'))?.[1] ?? '') : ''
}

/**
 * Writes the type declarations of all entries and of everything that they refer to.
 * @param {string} root
 * @param {string} outdir
 */
function emitTypes(root, outdir) {
  const project = join(root, '.build/package-types.json')
  mkdirSync(dirname(project), { recursive: true })
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    incremental: false,
    rootDir: root,
    outDir: outdir,
    plugins: [],
  }
  const sources = Object.values({ ...SERVER_ENTRIES, ...PAGE_ENTRIES })
  const files = sources.map((path) => relative(dirname(project), join(root, path)))
  writeFileSync(
    project,
    JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: [], exclude: [], files }),
  )
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const made = spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`the type declarations cannot be made:\n${made.stdout}${made.stderr}`)
  for (const path of readdirSync(outdir, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.d.ts')) continue
    const file = join(outdir, path)
    writeFileSync(file, withExtensions(readFileSync(file, 'utf8')))
  }
}

const RELATIVE = /(\bfrom\s+|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+?)(?:\.js)?\2/g

/**
 * Adds `.js` to relative imports: Node's module resolution, which types follow, requires it.
 * @param {string} declarations
 * @returns {string}
 */
export const withExtensions = (declarations) =>
  declarations.replaceAll(RELATIVE, (_all, before, quote, path) => `${before}${quote}${path}.js${quote}`)

/**
 * Why npm's script `prepare` does not build, or `null`. npm runs it for `pack` and `publish`, for an installation from a
 * git address, and for each installation in a clone.
 * @param {string} root
 * @param {string | undefined} npmCommand `npm_command`, which npm sets for its scripts
 * @returns {string | null}
 */
export function whyNotBuilt(root, npmCommand) {
  // `npm start` installs with `npm ci` and then makes builds of its own.
  if (npmCommand === 'ci') return 'dist/ is not built by npm ci; npm pack builds it'
  return existsSync(join(root, 'node_modules/typescript'))
    ? null
    : 'dist/ is not built, because typescript is not installed'
}

// npm runs this file as the script `prepare`; a test imports it.
const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
if (isProgram) {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const why = whyNotBuilt(root, process.env.npm_command)
  if (why === null) await makeDist(root)
  else console.log(why)
}
