import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { BuildFailure, BuildResult, OutputFile, Plugin } from 'esbuild'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { runWithTimeout, timeoutMessage } from '../../../lib/time'
import type { Ran } from './config-thread.js'

const NAMES = [
  'waystation.config.ts',
  'waystation.config.mts',
  'waystation.config.js',
  'waystation.config.mjs',
] as const
/** Other tools read these. We refuse them, because an ignored configuration looks like one that is in effect. */
const NOT_READ: ReadonlySet<string> = new Set(['.cjs', '.cts', '.json'])
const FOUND: readonly string[] = [...NAMES, ...[...NOT_READ].map((extension) => `waystation.config${extension}`)]

/** Longest run time of a configuration. */
const TIMEOUT_MS = 20_000

/** The nearest configuration, up to the folder with a package.json; it may have a name that is refused. */
export function findConfig(from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const name = FOUND.find((one) => existsSync(join(folder, one)))
    if (name !== undefined) return join(folder, name)
    if (existsSync(join(folder, 'package.json')) || folder === dirname(folder)) return null
  }
}

/**
 * Runs a configuration in a thread and returns its default export, not validated.
 * @returns a message when it does not compile, throws, does not end, or exports no data
 */
export async function loadConfig(file: string, timeoutMs = TIMEOUT_MS): Promise<Result<unknown, string>> {
  const name = shownFile(file)
  if (NOT_READ.has(extname(file)))
    return fail(`${name} is not supported; use one of ${NAMES.join(', ')}, with export default defineConfig({ … }).`)
  const bundled = await bundle(file)
  if (!bundled.ok) return fail(`${name} cannot be read: ${bundled.error}`)
  const exported = await run(file, bundled.value, timeoutMs)
  if (!exported.ok) return fail(`${name} ${exported.error}`)
  if (exported.value === undefined)
    return fail(`${name} has no default export; write export default defineConfig({ … }).`)
  return exported
}

/** The path relative to the current folder, as a person would type it. */
export function shownFile(file: string): string {
  const near = relative(process.cwd(), file)
  return near === '' || near.startsWith('..') ? file : near
}

interface Bundled {
  readonly text: string
  /** It imports packages, so it has to run from its own folder. */
  readonly importsPackages: boolean
}

/** Replaces `waystation/config`: `defineConfig` only returns its argument. */
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
  // Without a configuration, a command does not load the compiler.
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

/** Returns the default export; undefined when there is none. */
async function run(
  file: string,
  { text, importsPackages }: Bundled,
  timeoutMs: number,
): Promise<Result<unknown, string>> {
  const copy = join(dirname(file), `.waystation.config.${process.pid}.mjs`)
  if (importsPackages) writeFileSync(copy, text, { mode: 0o600 })
  const url = importsPackages
    ? pathToFileURL(copy).href
    : `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`
  try {
    const ran = await runInThread(url, timeoutMs)
    // Messages name the configuration, not its temporary copy.
    return ran.ok ? ran : fail(ran.error.replaceAll(copy, shownFile(file)))
  } finally {
    if (importsPackages) rmSync(copy, { force: true })
  }
}

/** A thread contains endless loops and process.exit. */
async function runInThread(url: string, timeoutMs: number): Promise<Result<unknown, string>> {
  const thread = new Worker(new URL('./config-thread.js', import.meta.url), {
    workerData: url,
    stdout: true,
    execArgv: [],
  })
  // Standard output of the command may be JSON.
  thread.stdout.pipe(process.stderr, { end: false })
  try {
    return await runWithTimeout(
      timeoutMs,
      null,
      (signal) =>
        new Promise<Result<unknown, string>>((resolve) => {
          const failed = (message: string): void => resolve(fail(message.replaceAll(/\s+/g, ' ')))
          thread.once('message', (ran: Ran) => ('failed' in ran ? failed(ran.failed) : resolve(succeed(ran.value))))
          thread.once('error', ({ name, message }) => failed(`throws an error: ${name}: ${message}`))
          thread.once('exit', (code) => failed(explainExit(code)))
          signal.addEventListener('abort', () => failed(`does not end: ${timeoutMessage(signal.reason)}`))
        }),
    )
  } finally {
    await thread.terminate()
  }
}

/** Node's exit code for a top-level await that never settles. */
const NEVER_SETTLES = 13

const explainExit = (code: number): string =>
  code === NEVER_SETTLES
    ? 'does not end: a top-level await never settles.'
    : `exits with ${code} before it exports anything; remove process.exit.`

export function namedConfig(given: string): Result<string, string> {
  const file = resolve(given)
  return existsSync(file) ? succeed(file) : fail(`--config ${given}: there is no such file.`)
}
