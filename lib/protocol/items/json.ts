import { shapeOf } from '../json-depth'
import { LIMITS } from '../limits'
import { fail, type Result, succeed } from '../result'

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
