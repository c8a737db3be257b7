import { LIMITS } from './limits'
import { fail, type Result, succeed } from './result'

export type JsonObject = { readonly [key: string]: unknown }

const decoder = new TextDecoder('utf-8', { fatal: true })

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of JSON values in all payloads of a record: a million take a tenth of a second and a hundred megabytes. */
export const MOST_VALUES = 1_000_000
export const TOO_MANY_VALUES_MESSAGE = `the payload and those before it in its record hold more than ${MOST_VALUES} values`

/**
 * Parses a payload as JSON, or returns an error message. Deeper payloads, and those of more than `MOST_VALUES` values,
 * are stored, relayed and shown as text, but not parsed.
 */
export const parseJson = (payload: Uint8Array, depth: number = LIMITS.depth): Result<unknown, string> =>
  parseBounded(payload, depth, (json) => json)

/** As `parseJson`, for a payload that must be an object. */
export const parseJsonObject = (payload: Uint8Array, depth?: number): Result<JsonObject, string> =>
  objectOf(parseJson(payload, depth))

/** As `parseJsonObject`; integers that a number of JavaScript cannot hold become texts of the same digits. */
export const parseExactObject = (payload: Uint8Array, depth: number = LIMITS.depth): Result<JsonObject, string> =>
  objectOf(parseBounded(payload, depth, quoteBigIntegers))

/** An object at any depth, for single fields of it; `null` for anything else. */
export function parseObject(payload: Uint8Array): JsonObject | null {
  try {
    const value: unknown = JSON.parse(decoder.decode(payload))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function parseBounded(payload: Uint8Array, depth: number, prepare: (json: string) => string): Result<unknown, string> {
  const { excess } = shapeOf(payload, { depth, values: MOST_VALUES })
  if (excess === 'depth') return fail(`the payload is nested deeper than ${depth} levels`)
  if (excess === 'values') return fail(TOO_MANY_VALUES_MESSAGE)
  try {
    const value: unknown = JSON.parse(prepare(decoder.decode(payload)))
    return succeed(value)
  } catch (error) {
    return fail(error instanceof SyntaxError ? 'the payload is not JSON' : 'the payload is not UTF-8 text')
  }
}

const objectOf = (json: Result<unknown, string>): Result<JsonObject, string> => {
  if (!json.ok) return json
  return isObject(json.value) ? succeed(json.value) : fail('the payload is JSON, but not an object')
}

/** A JSON string or number. Matching is linear for every text. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const INTEGER = /^-?\d+$/

/** Puts integers beyond 2^53, which JSON.parse would round, in quotation marks. */
export function quoteBigIntegers(json: string): string {
  if (!/\d{16}/.test(json)) return json
  return json.replace(STRING_OR_NUMBER, (token) =>
    INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  )
}

/**
 * Replaces objects and lists below `depth` levels by a text, so that the rest of the payload can be parsed. Returns the
 * same bytes where nothing is deeper.
 */
export function replaceDeepValues(json: Uint8Array, depth: number): Uint8Array {
  if (!isDeeperThan(depth, json)) return json
  const replacement = new TextEncoder().encode(JSON.stringify(`(deeper than ${depth} levels)`))
  const parts: Uint8Array[] = []
  let level = 0
  let inString = false
  let from = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (inString) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      level += 1
      if (level === depth + 1) parts.push(json.subarray(from, at), replacement)
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (level === depth + 1) from = at + 1
      level -= 1
    }
  }
  // Text that ends within a deep value is no JSON; the parser says so.
  return Buffer.concat([...parts, json.subarray(level > depth ? json.length : from)])
}

export function firstOf<Entry>(
  all: readonly Entry[],
  most: number,
): { readonly read: readonly Entry[]; readonly beyond: number } {
  return { read: all.slice(0, most), beyond: Math.max(0, all.length - most) }
}

/** Reads a list field of Sentry: `{ values: [...] }`, a plain list, or a single object of an old SDK. */
export function listOf(value: unknown): readonly JsonObject[] {
  const list = isObject(value) && Array.isArray(value.values) ? value.values : value
  if (Array.isArray(list)) return list.filter(isObject)
  return isObject(list) && !('values' in list) ? [list] : []
}

/** Reads a text field. Old SDKs write other types: numbers and booleans become text, everything else `null`. */
export function text(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

export const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
const CLOSE_BRACE = 0x7d
const CLOSE_BRACKET = 0x5d

type Excess = 'depth' | 'values'

interface JsonShape {
  /** `null` within both bounds; counting stops at the first excess. */
  readonly excess: Excess | null
  /** The number of values at all levels, without object keys. An empty list that contains a space counts as two. */
  readonly values: number
}

/**
 * Measures JSON before it is parsed: a parsed value can be traversed only as deep as the call stack allows, and each
 * value, two bytes on the wire, takes a hundred once parsed.
 */
export function shapeOf(json: Uint8Array, bounds: { readonly depth: number; readonly values: number }): JsonShape {
  let depth = 0
  let values = 1
  let inString = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (inString) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === COMMA) values += 1
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1
      if (depth > bounds.depth) return { excess: 'depth', values }
      const next = json[at + 1]
      if (next !== CLOSE_BRACE && next !== CLOSE_BRACKET) values += 1
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1
    if (values > bounds.values) return { excess: 'values', values }
  }
  return { excess: null, values }
}

/** Returns true for JSON nested deeper than `limit` levels. */
export const isDeeperThan = (limit: number, json: Uint8Array): boolean =>
  shapeOf(json, { depth: limit, values: Number.POSITIVE_INFINITY }).excess === 'depth'

const HEX32 = /^[0-9a-f]{32}$/
const HEX16 = /^[0-9a-f]{16}$/

/** Reads a trace or event id, with or without dashes, as 32 lower-case hex digits; `null` when it is invalid. */
export function hex32(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (HEX32.test(value)) return value
  const bare = value.replaceAll('-', '').toLowerCase()
  return HEX32.test(bare) ? bare : null
}

/** Reads a span id as 16 lower-case hex digits; `null` when it is invalid. */
export function hex16(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (HEX16.test(value)) return value
  const bare = value.toLowerCase()
  return HEX16.test(bare) ? bare : null
}

/** The same each time the record is digested: 28 hex digits of the submission, 4 of the item. */
export const positionalEventId = (seq: number, item: number): string =>
  `${seq.toString(16).padStart(28, '0')}${item.toString(16).padStart(4, '0').slice(-4)}`

declare const unit: unique symbol
/** µs since the epoch, as a type that cannot be mixed with seconds or milliseconds by accident. */
export type EpochUs = number & { readonly [unit]: 'µs since the epoch' }

const epochUs = (value: number): EpochUs => Math.round(value) as EpochUs

/** From the float seconds of SDKs; whole microseconds stay below 2^53 until the year 2255. */
const usFromSeconds = (seconds: number): EpochUs => epochUs(seconds * 1e6)

/** Reads a timestamp: float seconds or RFC 3339. `null` when it is neither, or out of range for whole microseconds. */
export function usFromTimestamp(value: unknown): EpochUs | null {
  if (typeof value === 'number') return countable(usFromSeconds(value))
  if (typeof value !== 'string') return null
  if (/^-?\d+(\.\d+)?$/.test(value)) return countable(usFromSeconds(Number(value)))
  const parts = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?([zZ]|[+-]\d\d:?\d\d)?)?$/.exec(value)
  if (parts === null) return null
  // Old Python and Ruby SDKs omit the time zone and mean UTC.
  const [, date, time = '00:00:00', fraction = '', zone = 'Z'] = parts
  const parsed = Date.parse(`${date}T${time}${zone.toUpperCase()}`)
  // A Date has milliseconds only, and spans of the Python SDK are often shorter than one.
  return Number.isNaN(parsed) ? null : epochUs(parsed * 1000 + Number(`0.${fraction}0`) * 1e6)
}

const countable = (us: EpochUs): EpochUs | null => (Number.isSafeInteger(us) ? us : null)

/** Levels with another name today; Raven clients send the numbers of Python's logging. */
const LEVEL_NAMES: ReadonlyMap<string, string> = new Map([
  ['10', 'debug'],
  ['20', 'info'],
  ['30', 'warning'],
  ['40', 'error'],
  ['50', 'fatal'],
  ['warn', 'warning'],
  ['log', 'info'],
  ['critical', 'fatal'],
])

/** Normalises a level: SDKs write `WARN`, `warn`, `warning` and 30. An unknown level stays, in lower case. */
export function levelOf(level: string): string {
  const small = level.toLowerCase()
  return LEVEL_NAMES.get(small) ?? small
}

export const isOfLevel = (level: string | null, requested: string | undefined): boolean =>
  requested === undefined || (level !== null && levelOf(level) === levelOf(requested))
