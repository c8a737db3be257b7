import { shapeOf } from './json-scanner'
import { isObject, type JsonObject } from './json-value'
import { fail, type Result, succeed } from './result'
import { SIZE_LIMITS } from './size-limits'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Of JSON values in all payloads of a record: a million take a tenth of a second and a hundred megabytes. */
export const MOST_VALUES = 1_000_000
export const TOO_MANY_VALUES_MESSAGE = `the payload and those before it in its record hold more than ${MOST_VALUES} values`

/**
 * Parses a payload as JSON, or returns an error message. Deeper payloads, and those of more than `MOST_VALUES` values,
 * are stored, relayed and shown as text, but not parsed.
 */
export const parseJson = (payload: Uint8Array, depth: number = SIZE_LIMITS.depth): Result<unknown, string> =>
  parseBounded(payload, depth, { exact: false })

/** As `parseJson`, for a payload that must be an object. */
export const parseJsonObject = (payload: Uint8Array, depth?: number): Result<JsonObject, string> =>
  objectOf(parseJson(payload, depth))

/** As `parseJsonObject`; integers that a number of JavaScript cannot hold become texts of the same digits. */
export const parseExactObject = (payload: Uint8Array, depth: number = SIZE_LIMITS.depth): Result<JsonObject, string> =>
  objectOf(parseBounded(payload, depth, { exact: true }))

/** An object at any depth, for single fields of it; `null` for anything else. */
export function parseObject(payload: Uint8Array): JsonObject | null {
  try {
    const value: unknown = JSON.parse(decoder.decode(payload))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function parseBounded(
  payload: Uint8Array,
  depth: number,
  { exact }: { readonly exact: boolean },
): Result<unknown, string> {
  const { excess, digits } = shapeOf(payload, { depth, values: MOST_VALUES })
  if (excess === 'depth') return fail(`the payload is nested deeper than ${depth} levels`)
  if (excess === 'values') return fail(TOO_MANY_VALUES_MESSAGE)
  try {
    const json = decoder.decode(payload)
    const value: unknown = JSON.parse(exact && digits >= MIN_BIG_DIGITS ? quoteBigIntegers(json) : json)
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
/** 2^53, the first integer that JSON.parse may round, has 16 digits. */
const MIN_BIG_DIGITS = 16

/** Puts integers beyond 2^53, which JSON.parse would round, in quotation marks. */
export function quoteBigIntegers(json: string): string {
  if (!/\d{16}/.test(json)) return json
  return json.replace(STRING_OR_NUMBER, (token) =>
    INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  )
}
