import { hex16, hex32 } from '../protocol/ids'
import { isObject, type JsonObject, text } from '../protocol/json-value'
import type { EpochUs } from '../protocol/timestamp'

/** A 64-bit integer of protobuf. */
interface Long {
  readonly low: number
  readonly high: number
  readonly unsigned: boolean
}

const isLong = (value: unknown): value is Long =>
  isObject(value) && typeof value.low === 'number' && typeof value.high === 'number'

/** Reads a 64-bit integer exactly: decimal text, a JSON number or a `Long`; `null` for anything else. */
export function bigintOf(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isInteger(value) ? in64Bits(BigInt(value)) : null
  if (typeof value === 'string') return /^-?\d{1,20}$/.test(value) ? in64Bits(BigInt(value)) : null
  if (!isLong(value)) return null
  const all = (BigInt(value.high >>> 0) << 32n) | BigInt(value.low >>> 0)
  return value.unsigned ? all : BigInt.asIntN(64, all)
}

/** Only JSON can exceed them: `1e300` is an integer. */
const in64Bits = (value: bigint): bigint | null => (value >= -(2n ** 63n) && value < 2n ** 64n ? value : null)

/** A number where it is exact, else its decimal text: counts and attributes may exceed 2^53. */
export function integerOf(value: unknown): number | string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  const exact = bigintOf(value)
  if (exact === null) return null
  const short = Number(exact)
  return Number.isSafeInteger(short) ? short : exact.toString()
}

const MAX_NANOS = BigInt(Number.MAX_SAFE_INTEGER) * 1000n

/** Nanoseconds since the epoch; `null` for zero, which means unknown, and for times after the year 2255. */
export function nanosOf(value: unknown): bigint | null {
  const nanos = bigintOf(value)
  return nanos === null || nanos <= 0n || nanos > MAX_NANOS ? null : nanos
}

/** Whole microseconds, rounded down. @param nanos read by `nanosOf` */
export const usFromNanos = (nanos: bigint): EpochUs => Number(nanos / 1000n) as EpochUs

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export function hexOf(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += HEX[byte]
  return hex
}

const ONLY_ZEROS = /^0*$/

/** An id of all zeros is invalid (W3C Trace Context, "trace-id" and "parent-id"). */
const validId = (id: string | null): string | null => (id === null || ONLY_ZEROS.test(id) ? null : id)

/** Reads a trace id: hex in JSON, bytes in protobuf; `null` for one that is invalid or empty. */
export const traceIdOf = (value: unknown): string | null =>
  validId(hex32(value instanceof Uint8Array ? hexOf(value) : value))

/** Reads a span id like `traceIdOf`. */
export const spanIdOf = (value: unknown): string | null =>
  validId(hex16(value instanceof Uint8Array ? hexOf(value) : value))

/** Reads a double. JSON has no NaN and no infinity: OTLP writes them as text, and so does this. */
export function doubleOf(value: unknown): number | string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  return typeof value === 'string' && /^(NaN|-?Infinity)$/.test(value) ? value : null
}

/** A missing list reads as empty. */
export const objectsOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Reads a 32-bit integer, which JSON may contain as text ("ProtoJSON Format"); `null` for anything else. */
export function int32Of(value: unknown): number | null {
  const read = integerOf(value)
  return typeof read === 'number' ? read : null
}

/** Zero for a missing count. */
export const countOf = (value: unknown): number => Math.max(0, int32Of(value) ?? 0)

/** Deeper values of an attribute are left out. */
const MAX_DEPTH = 32

/** A protobuf message has an unset field on its prototype, with the default of its type. */
export const hasField = (of: JsonObject, name: string): boolean =>
  Object.hasOwn(of, name) && of[name] !== null && of[name] !== undefined

/** An `AnyValue` as plain JSON: a list, an object, text, a number; bytes as base64. An empty value is `null`. */
export function plainValue(value: unknown, depth = 0): unknown {
  if (!isObject(value) || depth > MAX_DEPTH) return null
  if (hasField(value, 'stringValue')) return text(value.stringValue) ?? ''
  if (hasField(value, 'boolValue')) return value.boolValue === true
  if (hasField(value, 'intValue')) return integerOf(value.intValue)
  if (hasField(value, 'doubleValue')) return doubleOf(value.doubleValue)
  if (isObject(value.arrayValue)) return objectsOf(value.arrayValue.values).map((one) => plainValue(one, depth + 1))
  if (isObject(value.kvlistValue)) return attributesOf(value.kvlistValue.values, depth + 1)
  if (!hasField(value, 'bytesValue')) return null
  return value.bytesValue instanceof Uint8Array ? base64Of(value.bytesValue) : text(value.bytesValue)
}

/** A list of `KeyValue` as an object. Of equal keys the last counts: OTLP demands distinct ones. */
export function attributesOf(list: unknown, depth = 0): JsonObject {
  // `fromEntries` defines properties, so a key `__proto__` is one like any other.
  return Object.fromEntries(objectsOf(list).map(({ key, value }) => [text(key) ?? '', plainValue(value, depth)]))
}

export function base64Of(bytes: Uint8Array): string {
  let letters = ''
  for (const byte of bytes) letters += String.fromCharCode(byte)
  return btoa(letters)
}

/** Plain JSON as an `AnyValue` of OTLP/JSON, the reverse of `plainValue`. `null` is an empty value. */
export function anyValue(value: unknown): JsonObject {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } }
  return isObject(value) ? { kvlistValue: { values: keyValues(value) } } : {}
}

/** An object as a list of `KeyValue`, without its undefined and `null` values. */
export const keyValues = (object: JsonObject): readonly JsonObject[] =>
  Object.entries(object)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => ({ key, value: anyValue(value) }))
