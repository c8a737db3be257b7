import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { BuildFailure, BuildResult, OutputFile, Plugin } from 'esbuild'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { runWithTimeout, timeoutMessage } from '../../lib/time'
import type { Ran } from './config-thread.js'

const NAMES = [
  'waystation.config.ts',
  'waystation.config.mts',
  'waystation.config.js',
  'waystation.config.mjs',
] as const
/** As they are named in other tools, and are no modules: one that is passed over in silence is taken for one that holds. */
const NOT_READ: ReadonlySet<string> = new Set(['.cjs', '.cts', '.json'])
const FOUND: readonly string[] = [...NAMES, ...[...NOT_READ].map((extension) => `waystation.config${extension}`)]

/** For a configuration to run. */
const TIMEOUT_MS = 20_000

/** The configuration of the project that a folder belongs to: the nearest up to its package.json, which may be one that is not read; `null` where none is. */
export function findConfig(from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const name = FOUND.find((one) => existsSync(join(folder, one)))
    if (name !== undefined) return join(folder, name)
    if (existsSync(join(folder, 'package.json')) || folder === dirname(folder)) return null
  }
}

/**
 * Runs a configuration in a thread of its own and gives what it exports by default, unread.
 * @param file absolute path of TypeScript or JavaScript
 * @param timeoutMs for which it may run
 * @returns a sentence where it does not compile, does not run, does not end, or exports nothing that is data
 */
export async function loadConfig(file: string, timeoutMs = TIMEOUT_MS): Promise<Result<unknown, string>> {
  const named = shownFile(file)
  if (NOT_READ.has(extname(file)))
    return fail(`${named} is not read: meant is one of ${NAMES.join(', ')}, with export default defineConfig({ … }).`)
  const bundled = await bundle(file)
  if (!bundled.ok) return fail(`${named} cannot be read: ${bundled.error}`)
  const exported = await run(file, bundled.value, timeoutMs)
  if (!exported.ok) return fail(`${named} ${exported.error}`)
  if (exported.value === undefined)
    return fail(`${named} exports nothing by default: meant is export default defineConfig({ … }).`)
  return exported
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

/** What it exports by default: `undefined` where that is nothing. */
async function run(
  file: string,
  { text, importsPackages }: Bundled,
  timeoutMs: number,
): Promise<Result<unknown, string>> {
  const beside = join(dirname(file), `.waystation.config.${process.pid}.mjs`)
  if (importsPackages) writeFileSync(beside, text, { mode: 0o600 })
  const url = importsPackages
    ? pathToFileURL(beside).href
    : `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`
  try {
    const ran = await runInThread(url, timeoutMs)
    // Where it lies while it is run is nobody's to know.
    return ran.ok ? ran : fail(ran.error.replaceAll(beside, shownFile(file)))
  } finally {
    if (importsPackages) rmSync(beside, { force: true })
  }
}

/** The program that has an endless loop or an exit in it is the thread: whoever judges goes on, and says so. */
async function runInThread(url: string, timeoutMs: number): Promise<Result<unknown, string>> {
  const thread = new Worker(new URL('./config-thread.js', import.meta.url), {
    workerData: url,
    stdout: true,
    execArgv: [],
  })
  // What the command itself prints may be JSON.
  thread.stdout.pipe(process.stderr, { end: false })
  try {
    return await runWithTimeout(
      timeoutMs,
      null,
      (signal) =>
        new Promise<Result<unknown, string>>((resolve) => {
          const failed = (sentence: string): void => resolve(fail(sentence.replaceAll(/\s+/g, ' ')))
          thread.once('message', (ran: Ran) => ('failed' in ran ? failed(ran.failed) : resolve(succeed(ran.value))))
          thread.once('error', ({ name, message }) => failed(`ends with an error: ${name}: ${message}`))
          thread.once('exit', (code) => failed(explainExit(code)))
          signal.addEventListener('abort', () => failed(`has not ended: ${timeoutMessage(signal.reason)}`))
        }),
    )
  } finally {
    await thread.terminate()
  }
}

/** Of a module that waits for what never comes. */
const NEVER_SETTLES = 13

const explainExit = (code: number): string =>
  code === NEVER_SETTLES
    ? 'waits for something that never comes: a top-level await does not settle.'
    : `ends its process (with ${code}) before it exports anything: leave process.exit out of it.`

/** The file that `--config` names, as an absolute path; a sentence where it is not there. */
export function namedConfig(given: string): Result<string, string> {
  const file = resolve(given)
  return existsSync(file) ? succeed(file) : fail(`--config ${given}: there is no such file.`)
}
