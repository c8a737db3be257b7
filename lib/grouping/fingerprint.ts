import type { EventItem } from '../protocol/items/event'
import { type JsonObject, text } from '../protocol/json-value'
import { topFrame } from './frames'
import { comparedMessage } from './parameterise'

/* The fingerprint of an event: of a built-in rule, else of the SDK. */

/** The parts of an event that grouping reads. */
export type GroupedEvent = Pick<EventItem, 'payload' | 'platform' | 'level' | 'message' | 'tags' | 'transaction'>

interface MainException {
  readonly type: string | null
  readonly value: string | null
  readonly frames: readonly JsonObject[]
}

interface Fingerprint {
  readonly from: 'built_in' | 'sdk'
  /** With variables replaced; `null` stands for `{{ default }}`. */
  readonly entries: readonly (string | null)[]
}

/** React reports one mismatch in several ways. */
const HYDRATION = [
  'Hydration failed because',
  'Text content does not match server-rendered HTML',
  'There was an error while hydrating',
  'The server could not finish this Suspense boundary',
] as const

/** Entries of a fingerprint that are read, and characters of each. */
const MOST_ENTRIES = 50
const MOST_ENTRY_CHARACTERS = 1000

/** @param main the exception that gives the title @returns `null` for an event that is grouped by its contents alone */
export function readFingerprint(event: GroupedEvent, main: MainException | null): Fingerprint | null {
  const builtIn = builtInFingerprint(event, main)
  if (builtIn !== null) return { from: 'built_in', entries: builtIn }
  const { fingerprint } = event.payload
  if (!Array.isArray(fingerprint)) return null
  const given = fingerprint
    .slice(0, MOST_ENTRIES)
    .flatMap((entry: unknown) => text(entry)?.slice(0, MOST_ENTRY_CHARACTERS) ?? [])
  const entries = given.map((entry) => (variableOf(entry) === 'default' ? null : resolve(entry, event, main)))
  return entries.some((entry) => entry !== null) ? { from: 'sdk', entries } : null
}

function builtInFingerprint(event: GroupedEvent, main: MainException | null): readonly string[] | null {
  const message = main?.value ?? event.message ?? ''
  if (main?.type === 'ChunkLoadError' || message.startsWith('ChunkLoadError')) return ['chunkloaderror']
  const transaction = transactionOf(event)
  const isHydration = event.platform === 'javascript' && HYDRATION.some((start) => message.startsWith(start))
  return isHydration && transaction !== null ? ['hydrationerror', transaction] : null
}

const transactionOf = ({ tags, transaction }: GroupedEvent): string | null => transaction ?? tags.transaction ?? null

const variableOf = (entry: string): string | null => /^\{\{\s*([\w.-]{1,200})\s*\}\}$/.exec(entry)?.[1] ?? null

function resolve(entry: string, event: GroupedEvent, main: MainException | null): string {
  const name = variableOf(entry)
  // An error that is its own fingerprint would otherwise be one group for each of its ids.
  if (name === null) return entry === main?.value || entry === event.message ? comparedMessage(entry) : entry
  const tag = /^tags\.(.+)$/.exec(name)?.[1]
  if (tag !== undefined)
    return (tag === 'transaction' ? transactionOf(event) : event.tags[tag]) ?? `<no-value-for-tag-${tag}>`
  const read = Object.hasOwn(VARIABLES, name) ? VARIABLES[name as keyof typeof VARIABLES] : undefined
  if (read === undefined) return `<unrecognized-variable-${name}>`
  const [missing, value] = read(event, main)
  return value ?? `<no-${missing}>`
}

type ReadVariable = (
  event: GroupedEvent,
  main: MainException | null,
) => readonly [missing: string, value: string | null]

const type: ReadVariable = (_, main) => ['type', main?.type ?? null]
const value: ReadVariable = (_, main) => ['value', main?.value ?? null]
const ofFrame =
  (missing: string, read: (frame: JsonObject) => unknown): ReadVariable =>
  (_, main) => {
    const frame = main?.frames.findLast(({ in_app: inApp }) => inApp === true) ?? main?.frames.at(-1)
    return [missing, frame === undefined ? null : text(read(frame))]
  }
const frameFunction: ReadVariable = (_, main) => ['function', topFrame(main?.frames ?? [])?.function ?? null]
const path = ofFrame('abs-path', ({ abs_path: absPath, filename }) => absPath ?? filename)
const moduleName = ofFrame('module', ({ module }) => module)
const packageName = ofFrame('package', (frame) => frame.package)

const VARIABLES = {
  transaction: (event) => ['transaction', transactionOf(event)],
  message: (event, main) => ['message', event.message ?? main?.value ?? null],
  type,
  'error.type': type,
  value,
  'error.value': value,
  function: frameFunction,
  'stack.function': frameFunction,
  path,
  'stack.abs_path': path,
  'stack.filename': ofFrame('filename', ({ filename }) => filename),
  module: moduleName,
  'stack.module': moduleName,
  package: packageName,
  'stack.package': packageName,
  level: (event) => ['level', event.level],
  logger: (event) => ['logger', text(event.payload.logger)],
} satisfies Readonly<Record<string, ReadVariable>>
