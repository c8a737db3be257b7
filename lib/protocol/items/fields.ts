import * as z from 'zod'
import {
  firstOf,
  hex16,
  hex32,
  isObject,
  type JsonObject,
  listOf,
  number,
  parseJsonObject,
  text,
  usFromTimestamp,
} from '../json'
import { fail, type Result, succeed } from '../result'
import type { ReadLimits } from './signal'
import { valuesOf } from './span'

/*
 * What fields of items are made of. SDKs of any age fill them with anything, and one wrong field must not cost the
 * others: what is missing or of another type is `null`, and nothing made of these can fail.
 */
const field = <Value>(read: (value: unknown) => Value) => z.unknown().optional().transform(read)

export const word = field(text)
export const amount = field(number)
/** µs since the epoch. */
export const moment = field(usFromTimestamp)
/** Ids of traces, events, replays, profiles. */
export const id32 = field(hex32)
export const id16 = field(hex16)
export const flag = field((value) => (typeof value === 'boolean' ? value : null))
export const object = field((value): JsonObject => (isObject(value) ? value : {}))
/** Typed attributes as plain values. */
export const attributes = field((value): JsonObject => (isObject(value) ? valuesOf(value) : {}))
/** Its entries that are objects. */
export const entries = field(listOf)
/** Its entries that are text. */
export const words = field((value): readonly string[] =>
  Array.isArray(value) ? value.map(text).filter((entry) => entry !== null) : [],
)
/** An object within; absent, it reads as an empty one. */
export const within = <Value>(shape: z.ZodType<Value>) =>
  field((value): Value => shape.parse(isObject(value) ? value : {}))

/** A payload by its schema; fails where it is no JSON object, or too deep to be read. */
export function readFields<Shape>(
  payload: Uint8Array,
  schema: z.ZodType<Shape>,
  limits: ReadLimits,
): Result<Shape, string> {
  const json = parseJsonObject(payload, limits.depth)
  return json.ok ? succeed(schema.parse(json.value)) : json
}

/** Entries of a container, the first `most`. One without `items` is itself the only entry, as the first SDKs sent them. */
export function readContainer(payload: Uint8Array, most: number, limits: ReadLimits): Result<Container, string> {
  const json = parseJsonObject(payload, limits.depth)
  if (!json.ok) return json
  const { items } = json.value
  if (items !== undefined && !Array.isArray(items)) return fail('the items of the container are not a list')
  const all: readonly unknown[] = items ?? [json.value]
  const { read, beyond } = firstOf(all, most)
  const found = read.filter(isObject)
  const unreadable = read.length - found.length
  return succeed({ entries: found, unreadable, beyond, inBrowser: isFromBrowser(json.value) })
}

export interface Container {
  readonly entries: readonly JsonObject[]
  readonly unreadable: number
  /** Entries beyond the first, which are not read. */
  readonly beyond: number
  readonly inBrowser: boolean | null
}

/** Browser SDKs ask that address and user agent be taken from the request; others of the same version do not. */
function isFromBrowser(container: JsonObject): boolean | null {
  if (isObject(container.ingest_settings)) return true
  return typeof container.version === 'number' && container.version >= 2 ? false : null
}
