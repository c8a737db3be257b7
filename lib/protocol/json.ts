import { LIMITS } from './limits'
import { fail, type Result, succeed } from './result'

export type JsonObject = { readonly [key: string]: unknown }

const decoder = new TextDecoder('utf-8', { fatal: true })

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * JSON values of one record that are read, all its payloads together. What SDKs send has some ten thousand; a million
 * take a tenth of a second and a hundred megabytes.
 */
export const MOST_VALUES = 1_000_000
export const TOO_MANY_VALUES = `the payload and what comes before it in its record hold more than ${MOST_VALUES} values`

/**
 * A payload as JSON, or a sentence that says what it is instead.
 * @param depth deeper payloads are kept, relayed and shown as text, and not read: nothing people look for lies that deep.
 *   So are those of more values than `MOST_VALUES`.
 */
export function parseJson(payload: Uint8Array, depth: number = LIMITS.depth): Result<unknown, string> {
  const { excess } = shapeOf(payload, { depth, values: MOST_VALUES })
  if (excess === 'depth') return fail(`the payload is nested deeper than ${depth} levels`)
  if (excess === 'values') return fail(TOO_MANY_VALUES)
  try {
    const value: unknown = JSON.parse(decoder.decode(payload))
    return succeed(value)
  } catch (error) {
    return fail(error instanceof SyntaxError ? 'the payload is not JSON' : 'the payload is not UTF-8 text')
  }
}

/** A payload as a JSON object; see `parseJson`. */
export function parseJsonObject(payload: Uint8Array, depth?: number): Result<JsonObject, string> {
  const json = parseJson(payload, depth)
  if (!json.ok) return json
  return isObject(json.value) ? succeed(json.value) : fail('the payload is JSON, but not an object')
}

/** The first of some entries, and how many there are beyond them. */
export function firstOf<Entry>(
  all: readonly Entry[],
  most: number,
): { readonly read: readonly Entry[]; readonly beyond: number } {
  return { read: all.slice(0, most), beyond: Math.max(0, all.length - most) }
}

/** Sentry's list fields come as `{ values: [...] }`, as a bare list, and from old SDKs as one object. */
export function listOf(value: unknown): readonly JsonObject[] {
  const list = isObject(value) && Array.isArray(value.values) ? value.values : value
  if (Array.isArray(list)) return list.filter(isObject)
  return isObject(list) && !('values' in list) ? [list] : []
}

/** A text field that SDKs of any age may have filled with something else: numbers become text, the rest `null`. */
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

/** What of JSON there is too much: levels, or values. */
export type Excess = 'depth' | 'values'

/** The shape of a payload's JSON, told from its bytes alone. */
export interface JsonShape {
  /** `null` when it is within both bounds; counting ends where it is not. */
  readonly excess: Excess | null
  /** Values of all levels: an object and what it holds, not its keys. An empty list with a space in it counts as two. */
  readonly values: number
}

/**
 * How deep is this JSON nested, and how many values does it hold? Told before it is parsed: what is parsed can be walked,
 * cloned and written only as deep as a call stack goes, and a body may be a million levels deep; and each value, which
 * takes two bytes on the wire and next to none where they are deflated, takes a hundred once it is an object.
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

/** Is this JSON nested deeper than `limit` levels? */
export const isDeeperThan = (limit: number, json: Uint8Array): boolean =>
  shapeOf(json, { depth: limit, values: Number.POSITIVE_INFINITY }).excess === 'depth'

const HEX32 = /^[0-9a-f]{32}$/
const HEX16 = /^[0-9a-f]{16}$/

/** 32 lower-case hex digits from a trace or event id, with or without dashes; `null` when it is not one. */
export function hex32(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (HEX32.test(value)) return value
  const bare = value.replaceAll('-', '').toLowerCase()
  return HEX32.test(bare) ? bare : null
}

/** 16 lower-case hex digits of a span id; `null` when it is not one. */
export function hex16(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (HEX16.test(value)) return value
  const bare = value.toLowerCase()
  return HEX16.test(bare) ? bare : null
}

/**
 * The id of an event that has none: Relay makes one up at its endpoint, and ours must be the same whenever the record is
 * digested, so it is the event's place. 28 hex digits of the submission, 4 of the item.
 */
export const eventIdOfPlace = (seq: number, item: number): string =>
  `${seq.toString(16).padStart(28, '0')}${item.toString(16).padStart(4, '0').slice(-4)}`

declare const unit: unique symbol
/** A unit that is a type: seconds from an SDK and milliseconds for a screen cannot be added to it by accident. */
export type EpochUs = number & { readonly [unit]: 'µs since the epoch' }

const epochUs = (value: number): EpochUs => Math.round(value) as EpochUs

/** An SDK's float seconds; whole microseconds stay below 2^53 until the year 2255. */
const usFromSeconds = (seconds: number): EpochUs => epochUs(seconds * 1e6)

/**
 * SDKs write timestamps as float seconds or as RFC 3339; `null` when it is neither, or further away than whole
 * microseconds can say.
 */
export function usFromTimestamp(value: unknown): EpochUs | null {
  if (typeof value === 'number') return countable(usFromSeconds(value))
  if (typeof value !== 'string') return null
  if (/^-?\d+(\.\d+)?$/.test(value)) return countable(usFromSeconds(Number(value)))
  const parts = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?([zZ]|[+-]\d\d:?\d\d)?)?$/.exec(value)
  if (parts === null) return null
  // Old Python and Ruby SDKs leave the zone out and mean UTC.
  const [, date, time = '00:00:00', fraction = '', zone = 'Z'] = parts
  const parsed = Date.parse(`${date}T${time}${zone.toUpperCase()}`)
  // A Date ends at milliseconds, and a span of Python's SDK is often shorter than one.
  return Number.isNaN(parsed) ? null : epochUs(parsed * 1000 + Number(`0.${fraction}0`) * 1e6)
}

const countable = (us: EpochUs): EpochUs | null => (Number.isSafeInteger(us) ? us : null)

/** A level as it is compared: SDKs write `WARN`, `warn` and `warning` of the same thing. */
export function levelOf(level: string): string {
  const small = level.toLowerCase()
  return small === 'warn' ? 'warning' : small
}

/** Is this the level that is wanted? What has none is of no level. */
export const isOfLevel = (level: string | null, wanted: string | undefined): boolean =>
  wanted === undefined || (level !== null && levelOf(level) === levelOf(wanted))
