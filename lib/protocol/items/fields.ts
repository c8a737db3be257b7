import * as z from 'zod'
import { hex16, hex32 } from '../ids'
import { firstOf, isObject, type JsonObject, listOf, number, text } from '../json-value'
import { parseExactObject, parseJsonObject } from '../parse-json'
import { fail, type Result, succeed } from '../result'
import { usFromTimestamp } from '../timestamp'
import type { ReadLimits } from './signal'
import { valuesOf } from './span'

/* A missing field, or one of another type, reads as `null` or empty: these schemas never fail. */
const field = <Value>(read: (value: unknown) => Value) => z.unknown().optional().transform(read)

export const textField = field(text)
export const numberField = field(number)
/** A number, also one of more digits than a number of JavaScript holds, which is read as text. */
export const quantityField = field((value) => number(typeof value === 'string' && value !== '' ? Number(value) : value))
/** µs since the epoch. */
export const timeField = field(usFromTimestamp)
export const idField = field(hex32)
export const spanIdField = field(hex16)
export const booleanField = field((value) => (typeof value === 'boolean' ? value : null))
export const objectField = field((value): JsonObject => (isObject(value) ? value : {}))
export const attributesField = field((value): JsonObject => (isObject(value) ? valuesOf(value) : {}))
export const objectListField = field(listOf)
export const textListField = field((value): readonly string[] =>
  Array.isArray(value) ? value.map(text).filter((entry) => entry !== null) : [],
)
export const nestedField = <Value>(shape: z.ZodType<Value>) =>
  field((value): Value => shape.parse(isObject(value) ? value : {}))

/** Parses a payload by a schema; fails when it is no JSON object, or nested too deep. */
export function readFields<Shape>(
  payload: Uint8Array,
  schema: z.ZodType<Shape>,
  sizeLimits: ReadLimits,
): Result<Shape, string> {
  const json = parseJsonObject(payload, sizeLimits.depth)
  return json.ok ? succeed(schema.parse(json.value)) : json
}

/** Reads the first `most` entries. Without `items` the payload is the only entry, as early SDKs sent it. */
export function readContainer(payload: Uint8Array, most: number, sizeLimits: ReadLimits): Result<Container, string> {
  const json = parseExactObject(payload, sizeLimits.depth)
  if (!json.ok) return json
  const { items } = json.value
  if (items !== undefined && !Array.isArray(items)) return fail('the items of the container are not a list')
  const all: readonly unknown[] = items ?? [json.value]
  const { read, beyond } = firstOf(all, most)
  const found = read.filter(isObject)
  const unreadable = read.length - found.length
  return succeed({ entries: found, unreadable, beyond, inBrowser: isFromBrowser(json.value) })
}

interface Container {
  readonly entries: readonly JsonObject[]
  readonly unreadable: number
  /** The number of entries over the limit, which are not read. */
  readonly beyond: number
  readonly inBrowser: boolean | null
}

/** Only browser SDKs set `ingest_settings`: address and user agent shall be taken from the request. */
function isFromBrowser(container: JsonObject): boolean | null {
  if (isObject(container.ingest_settings)) return true
  return typeof container.version === 'number' && container.version >= 2 ? false : null
}
