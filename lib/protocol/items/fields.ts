import * as z from 'zod'
import { hex16, hex32 } from '../ids'
import { firstOf, isObject, type JsonObject, listOf, number, text } from '../json-value'
import { parseExactObject, parseJsonObject } from '../parse-json'
import { fail, type Result, succeed } from '../result'
import { usFromTimestamp } from '../timestamp'
import { NO_FIELDS, type ReadLimits, type Signal, type SignalItem, type Signals } from './signal'
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

/** The fields that every entry of a container has. */
export const entryFields = {
  timestamp: timeField,
  trace_id: idField,
  span_id: spanIdField,
  attributes: attributesField,
}
type Entry = z.infer<z.ZodObject<typeof entryFields>>

/** Parses a container of logs or metrics into one signal per entry. @param ofKind the fields that other kinds do not have */
export function parseEntries<Shape extends Entry>(
  { payload, most }: SignalItem,
  sizeLimits: ReadLimits,
  schema: z.ZodType<Shape>,
  ofKind: (entry: Shape) => Pick<Signal, 'kind' | 'name' | 'fields'> & Partial<Signal>,
): Result<Signals, string> {
  const container = readContainer(payload, most, sizeLimits)
  if (!container.ok) return container
  const { entries, unreadable, beyond, inBrowser } = container.value
  const all = entries.map((entry) => schema.parse(entry))
  const signals = all.map((entry): Signal => {
    const { timestamp, attributes } = entry
    const own = ofKind(entry)
    return {
      ...NO_FIELDS,
      rank: timestamp ?? 0,
      timestampUs: timestamp,
      traceId: entry.trace_id,
      spanId: entry.span_id,
      environment: text(attributes['sentry.environment']),
      release: text(attributes['sentry.release']),
      ...own,
      // The sequence orders entries with the same timestamp.
      fields: { ...own.fields, sequence: attributes['sentry.timestamp.sequence'] ?? null, attributes },
    }
  })
  const sdk = text(all[0]?.attributes['sentry.sdk.name'])
  return succeed({ signals, unreadable, beyond, sender: { platform: null, sdk, inBrowser } })
}

/** Reads the first `most` entries. Without `items` the payload is the only entry, as early SDKs sent it. */
function readContainer(payload: Uint8Array, most: number, sizeLimits: ReadLimits): Result<Container, string> {
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
