import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BuildFailure, BuildResult, OutputFile, Plugin } from 'esbuild'
import { fail, type Result, succeed } from '../../lib/protocol/result'

const NAMES = [
  'waystation.config.ts',
  'waystation.config.mts',
  'waystation.config.js',
  'waystation.config.mjs',
] as const

/** The configuration of the project that a folder belongs to: the nearest up to its package.json; `null` where none is. */
export function findConfig(from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const name = NAMES.find((one) => existsSync(join(folder, one)))
    if (name !== undefined) return join(folder, name)
    if (existsSync(join(folder, 'package.json')) || folder === dirname(folder)) return null
  }
}

/**
 * Runs a configuration and gives what it exports by default, unread.
 * @param file absolute path of TypeScript or JavaScript
 * @returns a sentence where it does not compile, does not run or exports nothing
 */
export async function loadConfig(file: string): Promise<Result<unknown, string>> {
  const named = shownFile(file)
  const bundled = await bundle(file)
  if (!bundled.ok) return fail(`${named} cannot be read: ${bundled.error}`)
  const module = await run(file, bundled.value)
  if (!module.ok) return fail(`${named} ends with an error: ${module.error}`)
  if (!('default' in module.value) || module.value.default === undefined)
    return fail(`${named} exports nothing by default: meant is export default defineConfig({ … }).`)
  return succeed(module.value.default)
}

/** As a person would type it where they stand. */
export function shownFile(file: string): string {
  const near = relative(process.cwd(), file)
  return near === '' || near.startsWith('..') ? file : near
}

interface Bundled {
  readonly text: string
  /** It imports packages, which are found from where it lies. */
  readonly importsPackages: boolean
}

/** `defineConfig` gives back what it is given; what checks it is the command that reads it. */
const OWN_ENTRY: Plugin = {
  name: 'waystation/config',
  setup(build) {
    build.onResolve({ filter: /^waystation\/config$/ }, ({ path }) => ({ path, namespace: 'waystation' }))
    build.onLoad({ filter: /.*/, namespace: 'waystation' }, () => ({
      contents: 'export const defineConfig = (config) => config',
      loader: 'js',
    }))
  },
}

async function bundle(file: string): Promise<Result<Bundled, string>> {
  // Who has no configuration does not wait for the compiler.
  const { build } = await import('esbuild')
  let built: BuildResult<{ write: false; metafile: true }>
  try {
    built = await build({
      entryPoints: [file],
      absWorkingDir: dirname(file),
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      plugins: [OWN_ENTRY],
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(file).href) },
      logLevel: 'silent',
    })
  } catch (cause) {
    if (!isBuildFailure(cause)) throw cause
    return fail(cause.errors.map(explainError).slice(0, 3).join('; '))
  }
  const [output]: readonly OutputFile[] = built.outputFiles
  const imports = Object.values(built.metafile.outputs).flatMap((one) => one.imports)
  return succeed({
    text: output?.text ?? '',
    importsPackages: imports.some(({ external, path }) => external === true && !path.startsWith('node:')),
  })
}

const isBuildFailure = (cause: unknown): cause is BuildFailure =>
  cause instanceof Error && 'errors' in cause && Array.isArray(cause.errors)

function explainError({ text, location }: BuildFailure['errors'][number]): string {
  return location === null ? text : `line ${location.line}: ${text}`
}

async function run(file: string, { text, importsPackages }: Bundled): Promise<Result<object, string>> {
  const beside = join(dirname(file), `.waystation.config.${process.pid}.mjs`)
  try {
    if (!importsPackages)
      return succeed(await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`))
    writeFileSync(beside, text, { mode: 0o600 })
    return succeed(await import(pathToFileURL(beside).href))
  } catch (cause) {
    return fail((cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)).replaceAll(/\s+/g, ' '))
  } finally {
    if (importsPackages) rmSync(beside, { force: true })
  }
}

/** The file that `--config` names, as an absolute path; a sentence where it is not there. */
export function namedConfig(given: string): Result<string, string> {
  const file = resolve(given)
  return existsSync(file) ? succeed(file) : fail(`--config ${given}: there is no such file.`)
}
