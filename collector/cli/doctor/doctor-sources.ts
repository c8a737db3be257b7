import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isObject, jsonOr } from '../../../lib/protocol/json-value'
import { versionOf } from '../init/project'
import { broken, type CheckResult, ok } from './doctor-checks'

const SOURCE = /\.[cm]?[jt]sx?$/
/** Folders of packages, builds and tests, besides those whose name begins with a dot. */
const NOT_OF_THE_APP = new Set([
  'node_modules',
  'dist',
  'build',
  'out',
  'coverage',
  'test',
  'tests',
  '__tests__',
  'e2e',
])
/** Files that are read, and bytes of each. */
const MOST_FILES = 3000
const MOST_BYTES = 512 * 1024
/** From this major version on, spans are streamed unless the option `traceLifecycle` says `static`. */
const STREAMS_SPANS = 11

const HOOK = /\b(beforeSendTransaction|ignoreTransactions)\s*[:(,}]/
const STATIC = /\btraceLifecycle\s*:\s*['"`]static['"`]/

/**
 * Checks the sources of an app for options of the Sentry SDK that nothing calls when spans are streamed: what they should
 * remove is sent.
 * @returns `null` for a folder whose package.json names no SDK that streams spans
 */
export function checkSources(folder: string): CheckResult | null {
  if (!streamsSpans(folder)) return null
  const sources = sourcesOf(folder).map((path) => ({ path: relative(folder, path), text: codeOf(path) }))
  // Options may be shared by files.
  if (sources.some(({ text }) => STATIC.test(text))) return ok('Spans are not streamed: traceLifecycle is static.')
  const hooks = sources.flatMap(({ path, text }) => {
    const name = HOOK.exec(text)?.[1]
    return name === undefined ? [] : [{ path, name }]
  })
  const [first] = hooks
  if (first === undefined) return ok('No option that streamed spans would ignore.')
  const places = hooks.slice(0, 5).map(({ path, name }) => `${name} in ${path}`)
  const more = hooks.length > places.length ? ` and ${hooks.length - places.length} more` : ''
  return broken(
    `${places.join(', ')}${more}: nothing calls it, because the SDK streams spans, so what it should remove is sent.`,
    "Use beforeSendSpan or ignoreSpans instead, or set traceLifecycle: 'static'.",
  )
}

function streamsSpans(folder: string): boolean {
  const path = join(folder, 'package.json')
  if (!existsSync(path)) return false
  const manifest = jsonOr(readFileSync(path, 'utf8'), null)
  const ranges = ['dependencies', 'devDependencies'].flatMap((name) => {
    const packages = isObject(manifest) ? manifest[name] : null
    return isObject(packages) ? Object.entries(packages) : []
  })
  return ranges.some(
    ([name, range]) =>
      name.startsWith('@sentry/') && typeof range === 'string' && (versionOf(range)?.[0] ?? 0) >= STREAMS_SPANS,
  )
}

/** The text of a source file without comments; empty for a file that may not be read. */
function codeOf(path: string): string {
  try {
    if (statSync(path).size > MOST_BYTES) return ''
    return readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*/g, '')
  } catch {
    return ''
  }
}

/** The source files of the app, folders of packages, builds and tests left out. */
function sourcesOf(folder: string): readonly string[] {
  const found: string[] = []
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined && found.length < MOST_FILES; next = folders.pop())
    for (const entry of entriesOf(next)) {
      const path = join(next, entry.name)
      if (entry.isDirectory() && !entry.name.startsWith('.') && !NOT_OF_THE_APP.has(entry.name)) folders.push(path)
      if (entry.isFile() && SOURCE.test(entry.name)) found.push(path)
    }
  return found.slice(0, MOST_FILES)
}

/** A folder that may not be read has no sources of the app. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
