import { hex32 } from './ids'
import { decodeString, endOfObject, fieldsOf, isDeeperThan } from './json-scanner'
import { fail, type Result, succeed } from './result'
import type { SizeLimits } from './size-limits'

/**
 * An envelope's framing, byte for byte (Sentry's envelope specification, "Serialization Format"). Only 0x0A is a
 * newline. Envelope = Headers { "\n" Item } [ "\n" ], Item = Headers "\n" Payload, Headers = a JSON object. As in Relay,
 * white space may precede headers, and headers may extend over lines. Only headers are decoded, so a parsed envelope can
 * always be relayed unchanged.
 */
export interface Envelope {
  readonly header: Readonly<Record<string, unknown>>
  /** The end of the header, without its newline. */
  readonly headerEnd: number
  readonly items: readonly EnvelopeItemFrame[]
}

export interface EnvelopeItemFrame {
  readonly header: Readonly<Record<string, unknown>> & { readonly type: string }
  /** The start of the item's header. The item is the slice from here to `payloadEnd`. */
  readonly start: number
  readonly payloadStart: number
  readonly payloadEnd: number
  readonly payload: Uint8Array
}

export const ENVELOPE_ERRORS = {
  empty: 'the body is empty; an envelope begins with a line of JSON',
  header_not_json: 'the envelope does not begin with a JSON object, its header',
  byte_order_mark: 'a header begins with a byte order mark; Sentry refuses it',
  event_id_invalid: 'the event_id of the envelope header is no UUID: 32 hex digits, with or without dashes',
  header_too_long: 'a header is longer than its limit',
  header_too_deep: 'a header is nested deeper than 32 levels',
  item_header_missing: 'white space follows the last item where a header was expected',
  item_header_not_json: 'an item header is not a JSON object',
  item_type_missing: 'an item header names no type',
  length_invalid: 'an item header has a length that is not a whole number of bytes',
  payload_too_short: 'an item is shorter than the length its header declares',
  newline_missing: 'an item is longer than the length its header declares',
  too_many_items: 'the envelope has more items than its limit',
  minidump_missing: 'the body holds no minidump; send one as the file upload_file_minidump of a multipart form',
  files_missing: 'the body holds no file; send files in a multipart form',
  check_in_invalid: 'the check-in cannot be read',
  payload_too_large: 'an item is larger than the limit of its type',
} as const
export type EnvelopeErrorCode = keyof typeof ENVELOPE_ERRORS

export interface EnvelopeError {
  readonly code: EnvelopeErrorCode
  readonly message: string
  readonly at: number
}

/** Limits at intake. Stored records have passed intake and are parsed without limits. */
export type FramingLimits = Pick<SizeLimits, 'header_line' | 'items'>
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
  sizeLimits: FramingLimits = NO_FRAMING_LIMITS,
): Result<Envelope, EnvelopeError> {
  if (bytes.length === 0) return broken('empty', 0)
  const header = headerAt(bytes, 0, sizeLimits.header_line, 'header_not_json')
  if (!header.ok) return header

  const items: EnvelopeItemFrame[] = []
  let at = Math.min(header.value.end + 1, bytes.length)
  while (at < bytes.length) {
    // One newline may end the envelope; SDKs that write one after each item leave another.
    if (isOnlyNewlines(bytes, at)) break
    if (items.length >= sizeLimits.items) return broken('too_many_items', at)
    const item = parseItem(bytes, at, sizeLimits)
    if (!item.ok) return item
    items.push(item.value)
    at = item.value.payloadEnd + 1
  }
  return succeed({ header: header.value.value, headerEnd: header.value.end, items })
}

/**
 * Reads the header of an envelope of which only the start has arrived.
 * @returns `null` while the start is too short to tell
 */
export function parseHeaderOf(
  start: Uint8Array,
  { header_line }: Pick<SizeLimits, 'header_line'>,
): Result<Envelope['header'], EnvelopeError> | null {
  const found = headerAt(start, 0, header_line, 'header_not_json')
  if (found.ok) return succeed(found.value.value)
  return start.length > skipWhiteSpace(start, 0) + header_line ? found : null
}

/**
 * Checks that Relay makes and that older versions of this program did not make, so stored records may fail them.
 * @returns the first error, or `null`.
 */
export function intakeError(bytes: Uint8Array, { header, items }: Envelope): EnvelopeError | null {
  const marked = [0, ...items.map(({ start }) => start)].find((start) => hasByteOrderMark(bytes, start))
  if (marked !== undefined) return broken('byte_order_mark', marked).error
  const id = header.event_id
  return id === undefined || id === null || hex32(id) !== null ? null : broken('event_id_invalid', 0).error
}

const hasByteOrderMark = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf

function parseItem(
  bytes: Uint8Array,
  from: number,
  sizeLimits: FramingLimits,
): Result<EnvelopeItemFrame, EnvelopeError> {
  const found = headerAt(bytes, from, sizeLimits.header_line, 'item_header_not_json')
  if (!found.ok) return found
  const { start, end, value: header } = found.value
  if (typeof header.type !== 'string') return broken('item_type_missing', start)

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

interface HeaderAt {
  readonly start: number
  /** Without its newline. */
  readonly end: number
  readonly value: Record<string, unknown>
}

/** Reads a header: the rest of the line, or, where that is no JSON object, the object that begins after white space. */
function headerAt(
  bytes: Uint8Array,
  from: number,
  limit: number,
  notJson: 'header_not_json' | 'item_header_not_json',
): Result<HeaderAt, EnvelopeError> {
  const start = skipWhiteSpace(bytes, from)
  if (start === bytes.length) return broken(notJson === 'header_not_json' ? notJson : 'item_header_missing', from)
  for (const endOf of [lineEnd, objectEnd]) {
    const end = endOf(bytes, start, limit)
    if (end - start > limit) return broken('header_too_long', start)
    if (isDeeperThan(MAX_HEADER_DEPTH, bytes.subarray(start, end))) return broken('header_too_deep', start)
    const value = parseHeader(bytes.subarray(start, end))
    if (value !== null) return succeed({ start, end, value })
  }
  return broken(notJson, start)
}

function skipWhiteSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && isWhiteSpace(bytes[at])) at += 1
  return at
}

const isWhiteSpace = (byte: number | undefined): boolean =>
  byte === NEWLINE || byte === 0x20 || byte === 0x09 || byte === 0x0d

/** The end of the line in which the object that begins here ends. Reads at most one byte more than `limit`. */
function objectEnd(bytes: Uint8Array, start: number, limit: number): number {
  const most = Math.min(bytes.length, start + limit + 1)
  const end = endOfObject(bytes, start, most)
  return end === most ? most : lineEnd(bytes, end)
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

/** "RFC 3339 date-time" (Sentry's envelope specification, "Envelope Headers"). Other values are not moved. */
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/
const LATEST = Date.UTC(9999, 0)

/** Moves `sent_at` of a header line forward and changes no other byte; `null` when there is none to move. */
export function moveSentAt(line: Uint8Array, byMs: number): Uint8Array | null {
  // Of duplicate keys the last counts, as in `JSON.parse`.
  const [found] = fieldsOf(line)
    .filter(({ name, start, end }) => name === 'sent_at' && end - start > 2)
    .map(({ start, end }) => ({ start, end, text: decodeString(line, start + 1, end - 1) }))
    .filter(({ text }) => RFC_3339.test(text))
    .slice(-1)
  const at = Date.parse(found?.text ?? '')
  if (found === undefined || Number.isNaN(at) || at + byMs > LATEST) return null
  const moved = JSON.stringify(new Date(at + byMs).toISOString())
  return Buffer.concat([line.subarray(0, found.start), Buffer.from(moved), line.subarray(found.end)])
}
