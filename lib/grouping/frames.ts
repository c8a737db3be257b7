import { isObject, type JsonObject, number, text } from '../protocol/json-value'

/* Which frames of a stack count for a group, and by which values. */

/** A frame as it was judged. `values` are hashed in order; `null` when the frame does not count. */
export interface JudgedFrame {
  readonly values: readonly string[] | null
  readonly inApp: boolean
  /** Of a frame that does not count; the others are named by their values. */
  readonly label: string | null
  /** Why it does not count; `null` when it does. */
  readonly hint: string | null
  /** It is left out because its file is output of a build. */
  readonly isBundled: boolean
}

/** Frames beyond these, the oldest, are not compared. */
export const MOST_COMPARED_FRAMES = 200

const NO_FUNCTION: ReadonlySet<string> = new Set(['?', '<anonymous>', '<anonymous function>', 'Anonymous function'])
const NATIVE_PATHS: ReadonlySet<string> = new Set(['[native code]', 'native code', 'eval code', '<anonymous>'])
const WITH_CONTEXT: ReadonlySet<string> = new Set(['javascript', 'node', 'python', 'php', 'ruby'])
const MOST_CONTEXT_CHARACTERS = 120

/** Libraries whose frames never belong to the app, and those that are left out of every stack. */
const LIBRARY =
  /(?:^|\/)(?:node_modules|vendor)\/|\/\/(?:[\w-]+\.)*(?:unpkg\.com|cdnjs\.cloudflare\.com|cdn\.jsdelivr\.net|esm\.run)\//
const HELPER_FILE = /(?:^|\/)(?:@babel|core-js|regenerator-runtime|tslib)\//
const HELPER_FUNCTIONS: ReadonlySet<string> = new Set([
  '_callSuper',
  'runMicrotasks',
  'queueMicrotask',
  'processTicksAndRejections',
  'runNextTicks',
  'nextTick',
])
const isHelperFunction = (sent: string, name: string | null): boolean =>
  HELPER_FUNCTIONS.has(name ?? '') || sent.includes('newrelic') || sent.includes('LogRocket')
const URL_ORIGIN = /^(?:https?|blob|applewebdata):/

/** Judges the frames of a stack. @param frames in the order of the wire: the oldest call first */
export function judgeFrames(frames: readonly JsonObject[], platform: string | null): readonly JudgedFrame[] {
  const compared = frames.slice(-MOST_COMPARED_FRAMES)
  // `reportError` and everything that it calls report the error; they are not its cause.
  const reporter = compared.findIndex((frame) => text(frame.function) === 'reportError')
  // Most frames of a stack are in a few files.
  const known = new Map<string, FileFacts>()
  const fileFacts = (path: string): FileFacts => {
    const facts = known.get(path) ?? readFile(path)
    known.set(path, facts)
    return facts
  }
  return compared.map((frame, index) =>
    judgeFrame(frame, {
      platform: text(frame.platform) ?? platform,
      before: compared[index - 1] ?? null,
      isReporter: reporter !== -1 && index >= reporter,
      isOnly: compared.length === 1,
      fileFacts,
    }),
  )
}

interface FileFacts {
  readonly name: string
  readonly isUrl: boolean
  readonly isLibrary: boolean
  readonly isHelper: boolean
  readonly isBundled: boolean
}

function readFile(path: string): FileFacts {
  const isHelper = HELPER_FILE.test(path)
  return {
    name: baseName(path),
    isUrl: URL_ORIGIN.test(path),
    isLibrary: isHelper || LIBRARY.test(path),
    isHelper,
    isBundled: isBundledFile(path),
  }
}

interface Around {
  readonly platform: string | null
  readonly before: JsonObject | null
  readonly isReporter: boolean
  readonly isOnly: boolean
  readonly fileFacts: (path: string) => FileFacts
}

function judgeFrame(frame: JsonObject, { platform, before, isReporter, isOnly, fileFacts }: Around): JudgedFrame {
  const path = text(frame.abs_path) ?? text(frame.filename) ?? ''
  const filename = text(frame.filename) ?? path
  const [atPath, atName] = [fileFacts(path), fileFacts(filename)]
  const sentFunction = text(frame.function) ?? ''
  const functionName = functionOf(sentFunction)
  const isJavaScript = platform === 'javascript' || platform === 'node'
  const isUrl = atPath.isUrl || atName.isUrl
  const inApp = frame.in_app === true && !atPath.isLibrary && !atName.isLibrary && !isReporter
  const isBundled = atPath.isBundled || atName.isBundled
  const leftOut = (hint: string): JudgedFrame => {
    const label = `${atName.name || '(no file)'} › ${functionName ?? '(anonymous)'}`
    return { values: null, inApp, label, hint, isBundled }
  }

  if (sentFunction === 'eval' || NATIVE_PATHS.has(path) || NATIVE_PATHS.has(filename))
    return leftOut('native or evaluated code')
  if (atPath.isHelper || isHelperFunction(sentFunction, functionName)) return leftOut('a helper of the runtime')
  if (before !== null && RECURSION.every((field) => before[field] === frame[field]))
    return leftOut('the same call as before')
  if (isBundled) return leftOut('the file is output of a build, and its name changes with each one')
  if (isOnly && isJavaScript && functionName === null && isUrl) return leftOut('the only frame, and it has no function')

  const context = contextOf(frame, platform, isUrl && functionName === null)
  const file = moduleOf(frame, path, isJavaScript) ?? (isUrl ? null : atName.name.toLowerCase() || null)
  const values = [file, functionName, context].filter((one) => one !== null)
  if (values.length === 0) return leftOut('it has neither file, function nor source')
  return { values, inApp, label: null, hint: null, isBundled: false }
}

const RECURSION = ['abs_path', 'package', 'module', 'filename', 'function', 'lineno', 'colno'] as const

function functionOf(name: string): string | null {
  if (NO_FUNCTION.has(name) || name.endsWith('/<')) return null
  return name.slice(name.lastIndexOf('.') + 1) || null
}

/** The module, unless it repeats the path. */
function moduleOf({ module }: JsonObject, path: string, isJavaScript: boolean): string | null {
  const name = text(module)
  const repeatsPath = isJavaScript && name?.includes('/') && path.replace(/\.\w{1,5}$/, '').endsWith(name)
  return repeatsPath ? null : name
}

const withoutQuery = (path: string): string => path.split(/[?#]/, 1)[0] ?? ''

function baseName(path: string): string {
  const plain = withoutQuery(path)
  return plain.slice(Math.max(plain.lastIndexOf('/'), plain.lastIndexOf('\\')) + 1)
}

/** The executed line, where it is short enough to be source. */
function contextOf(frame: JsonObject, platform: string | null, isUnnamedUrl: boolean): string | null {
  if (!WITH_CONTEXT.has(platform ?? '') || isUnnamedUrl || typeof frame.context_line !== 'string') return null
  if (frame.context_line.length > 4 * MOST_CONTEXT_CHARACTERS) return null
  const trimmed = frame.context_line.trim()
  const line = /\s\s|[^\S ]/.test(trimmed) ? trimmed.replace(/\s+/g, ' ') : trimmed
  return line === '' || line.length > MOST_CONTEXT_CHARACTERS ? null : line
}

/** Output of a build, whose name says nothing in the next one: chunks of Next, minified files, names with a hash. */
export function isBundledFile(path: string): boolean {
  if (!path.includes('.')) return false
  const plain = withoutQuery(path)
  return NEXT_CHUNK.test(plain) || MINIFIED.test(plain) || hasHash(plain)
}

const NEXT_CHUNK = /\/(?:_next|\.next)\/(?:[^/]+\/)*chunks\//
const MINIFIED = /[.-]min\.[cm]?js$/

/** A hash of 8 letters and digits at the end (Vite, Rollup, esbuild), or one of hexadecimal digits anywhere in the name. */
function hasHash(path: string): boolean {
  const name = baseName(path)
  if (/(?:^|[.\-_])(?=[a-f]*\d)[\da-f]{8,64}(?=[.\-_])/.test(name)) return true
  const [, hash] = /[.-]([\w-]{8})\.[cm]?js$/.exec(name) ?? []
  if (hash === undefined || /^[a-z]+\d{0,4}$/.test(hash)) return false
  if (/^[A-Z2-7]{8}$/.test(hash) || (/\d/.test(hash) && !/^[A-Z]?[a-z]+\d+$/.test(hash))) return true
  // In files that a browser loads, two capitals are enough: a quarter of such hashes have no digit.
  return /^(?:https?|app):/.test(path) && /[A-Z].*[A-Z]/.test(hash) && /[a-z]/.test(hash)
}

/** The position that stands for the error: the newest call in the app, else the newest call. */
export function topFrame(frames: readonly JsonObject[]): TopFrame | null {
  const frame =
    frames.findLast((one) => one.in_app === true && !LIBRARY.test(text(one.filename) ?? '')) ?? frames.at(-1)
  if (frame === undefined) return null
  const file = text(frame.filename) ?? text(frame.abs_path)
  return { function: text(frame.function), file, line: number(frame.lineno) }
}

export interface TopFrame {
  readonly function: string | null
  readonly file: string | null
  readonly line: number | null
}

/** The frames of an exception, thread or event; empty when it has no stack. */
export function framesOf({ stacktrace }: JsonObject): readonly JsonObject[] {
  return isObject(stacktrace) && Array.isArray(stacktrace.frames) ? stacktrace.frames.filter(isObject) : []
}
