import { isDeeperThan } from './json'
import type { Limits } from './limits'
import { fail, type Result, succeed } from './result'

/**
 * An envelope's framing, byte for byte (Sentry's envelope specification, "Serialization Format"). Only 0x0A is a
 * newline. Envelope = Headers { "\n" Item } [ "\n" ] Item = Headers "\n" Payload Headers = one line of JSON Only header
 * lines are decoded, so a parsed envelope can always be relayed unchanged.
 */
export interface Envelope {
  readonly header: Readonly<Record<string, unknown>>
  /** Without its newline. */
  readonly headerEnd: number
  readonly items: readonly EnvelopeItemFrame[]
}

export interface EnvelopeItemFrame {
  readonly header: Readonly<Record<string, unknown>> & { readonly type: string }
  /** The start of the item's header line. The item is the slice from here to `payloadEnd`. */
  readonly start: number
  readonly payloadStart: number
  readonly payloadEnd: number
  readonly payload: Uint8Array
}

export const ENVELOPE_ERRORS = {
  empty: 'the body is empty; an envelope begins with a line of JSON',
  header_not_json: 'the first line is not a JSON object; it is the envelope header',
  header_too_long: 'a header line is longer than its limit',
  header_too_deep: 'a header line is nested deeper than 32 levels',
  item_header_missing: 'an item begins with an empty line where its header was expected',
  item_header_not_json: 'an item header is not a JSON object',
  item_type_missing: 'an item header names no type',
  length_invalid: 'an item header has a length that is not a whole number of bytes',
  payload_too_short: 'an item is shorter than the length its header declares',
  newline_missing: 'an item is longer than the length its header declares',
  too_many_items: 'the envelope has more items than its limit',
  payload_too_large: 'an item is larger than the limit of its type',
} as const
export type EnvelopeErrorCode = keyof typeof ENVELOPE_ERRORS

export interface EnvelopeError {
  readonly code: EnvelopeErrorCode
  readonly message: string
  readonly at: number
}

/** Limits at intake. Stored records have passed intake and are parsed without limits. */
export type FramingLimits = Pick<Limits, 'header_line' | 'items'>
export const NO_FRAMING_LIMITS: FramingLimits = {
  header_line: Number.POSITIVE_INFINITY,
  items: Number.POSITIVE_INFINITY,
}
/** The deepest known header is a dynamic sampling context, which has one level. */
const MAX_HEADER_DEPTH = 32

const NEWLINE = 0x0a
const decoder = new TextDecoder('utf-8', { fatal: true })

export function parseEnvelope(
  bytes: Uint8Array,
  limits: FramingLimits = NO_FRAMING_LIMITS,
): Result<Envelope, EnvelopeError> {
  if (bytes.length === 0) return broken('empty', 0)
  const headerEnd = lineEnd(bytes, 0)
  if (headerEnd > limits.header_line) return broken('header_too_long', 0)
  if (isDeeperThan(MAX_HEADER_DEPTH, bytes.subarray(0, headerEnd))) return broken('header_too_deep', 0)
  const header = parseHeader(bytes.subarray(0, headerEnd))
  if (header === null) return broken('header_not_json', 0)

  const items: EnvelopeItemFrame[] = []
  let at = Math.min(headerEnd + 1, bytes.length)
  while (at < bytes.length) {
    if (items.length >= limits.items) return broken('too_many_items', at)
    const item = parseItem(bytes, at, limits)
    if (!item.ok) {
      // One newline may end the envelope; SDKs that write one after each item leave another.
      if (item.error.code === 'item_header_missing' && isOnlyNewlines(bytes, at)) break
      return item
    }
    items.push(item.value)
    at = item.value.payloadEnd + 1
  }
  return succeed({ header, headerEnd, items })
}

function parseItem(bytes: Uint8Array, start: number, limits: FramingLimits): Result<EnvelopeItemFrame, EnvelopeError> {
  const end = lineEnd(bytes, start)
  if (end === start) return broken('item_header_missing', start)
  if (end - start > limits.header_line) return broken('header_too_long', start)
  if (isDeeperThan(MAX_HEADER_DEPTH, bytes.subarray(start, end))) return broken('header_too_deep', start)
  const header = parseHeader(bytes.subarray(start, end))
  if (header === null) return broken('item_header_not_json', start)
  if (typeof header.type !== 'string' || header.type === '') return broken('item_type_missing', start)

  // "If `length` is missing the payload runs to the next newline or the end"; a header at the end has an empty payload.
  const payloadStart = Math.min(end + 1, bytes.length)
  const payloadEnd = payloadBounds(bytes, payloadStart, header.length)
  if (!payloadEnd.ok) return payloadEnd
  return succeed({
    header: { ...header, type: header.type },
    start,
    payloadStart,
    payloadEnd: payloadEnd.value,
    payload: bytes.subarray(payloadStart, payloadEnd.value),
  })
}

function payloadBounds(bytes: Uint8Array, start: number, length: unknown): Result<number, EnvelopeError> {
  if (length === undefined || length === null) return succeed(lineEnd(bytes, start))
  if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) return broken('length_invalid', start)
  const end = start + length
  if (end > bytes.length) return broken('payload_too_short', start)
  if (end < bytes.length && bytes[end] !== NEWLINE) return broken('newline_missing', end)
  return succeed(end)
}

function lineEnd(bytes: Uint8Array, from: number): number {
  const found = bytes.indexOf(NEWLINE, from)
  return found < 0 ? bytes.length : found
}

function isOnlyNewlines(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < bytes.length; at += 1) if (bytes[at] !== NEWLINE) return false
  return true
}

/** Parses a header line; `null` unless it is a JSON object in UTF-8. */
function parseHeader(line: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(decoder.decode(line))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

const broken = (code: EnvelopeErrorCode, at: number): { readonly ok: false; readonly error: EnvelopeError } =>
  fail({ code, message: ENVELOPE_ERRORS[code], at })

const lineEncoder = new TextEncoder()
const lineDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** "RFC 3339 date-time" (Sentry's envelope specification, "Envelope Headers"). Other values are not moved. */
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/
const LATEST = Date.UTC(9999, 0)
/** A JSON string, or a structural character. Matching is linear for every line. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g

/** Moves `sent_at` of a header line forward and changes no other byte; `null` when there is none to move. */
export function moveSentAt(line: Uint8Array, byMs: number): Uint8Array | null {
  const text = lineDecoder.decode(line)
  const found = sentAtIn(text)
  if (found === null) return null
  const at = Date.parse(found.value)
  if (Number.isNaN(at) || at + byMs > LATEST) return null
  const moved = JSON.stringify(new Date(at + byMs).toISOString())
  return lineEncoder.encode(text.slice(0, found.start) + moved + text.slice(found.end))
}

/** Returns the value with the range of its quotes. Of duplicate keys the last counts, as in `JSON.parse`. */
function sentAtIn(text: string): { readonly value: string; readonly start: number; readonly end: number } | null {
  let depth = 0
  let key: string | null = null
  let isValue = false
  let found: ReturnType<typeof sentAtIn> = null
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    if (depth !== 1) continue
    if (token === ':') isValue = true
    else if (token === ',' || token === '{') [key, isValue] = [null, false]
    else if (!token.startsWith('"')) continue
    else if (!isValue) key = String(JSON.parse(token))
    else if (key === 'sent_at') {
      const value = String(JSON.parse(token))
      if (RFC_3339.test(value)) found = { value, start: index, end: index + token.length }
    }
  }
  return found
}
