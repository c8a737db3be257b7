import { inflateSync } from 'node:zlib'
import { countFiles, hasMinidump, oneItem, parseCheckInRequest } from './direct-upload'
import {
  ENVELOPE_ERRORS,
  type Envelope,
  type EnvelopeError,
  type FramingLimits,
  NO_FRAMING_LIMITS,
  parseEnvelope,
} from './envelope'
import { type DirectEndpoint, type Endpoint, isDirect, isOtlp } from './request'
import { fail, type Result, succeed } from './result'
import type { SizeLimits } from './size-limits'

export type { Endpoint } from './request'

type RecordLimits = FramingLimits & Pick<SizeLimits, 'event'>
const NO_LIMITS: RecordLimits = { ...NO_FRAMING_LIMITS, event: Number.POSITIVE_INFINITY }

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses any kind of body as an envelope. A bare event, a report or a request of OpenTelemetry becomes one item that spans
 * the whole body, and so does any other body that is no envelope. The payload of a base64 event is its decoded JSON.
 * @param target of a check-in: the address that names its monitor
 */
export function parseRecord(
  endpoint: Endpoint,
  bytes: Uint8Array,
  sizeLimits: RecordLimits = NO_LIMITS,
  target: string | null = null,
): Result<Envelope, EnvelopeError> {
  if (endpoint === 'store') return parseStored(bytes, sizeLimits)
  if (isOtlp(endpoint)) return succeed(oneItem({}, { type: endpoint }, bytes, bytes))
  if (endpoint === 'security') return parseReport(bytes, sizeLimits, 'raw_security')
  return isDirect(endpoint) ? parseDirect(endpoint, bytes, sizeLimits, target) : parseEnvelope(bytes, sizeLimits)
}

function parseDirect(
  endpoint: DirectEndpoint,
  bytes: Uint8Array,
  sizeLimits: RecordLimits,
  target: string | null,
): Result<Envelope, EnvelopeError> {
  if (endpoint === 'nel') return parseReport(bytes, sizeLimits, 'nel')
  if (endpoint === 'cron') {
    const payload = parseCheckInRequest(bytes, target)
    return payload.ok ? succeed(oneItem({}, { type: 'check_in' }, bytes, payload.value)) : payload
  }
  if (bytes.length === 0) return fail({ code: 'empty', message: 'the body is empty; expected a file', at: 0 })
  if (endpoint === 'unreal') return succeed(oneItem({}, { type: 'unreal_report' }, bytes, bytes))
  if (endpoint === 'minidump')
    return hasMinidump(bytes)
      ? succeed(oneItem({}, { type: 'minidump' }, bytes, bytes))
      : fail({ code: 'minidump_missing', message: ENVELOPE_ERRORS.minidump_missing, at: 0 })
  const files = countFiles(bytes)
  return files > 0
    ? succeed(oneItem({}, { type: 'attachments', item_count: files }, bytes, bytes))
    : fail({ code: 'files_missing', message: ENVELOPE_ERRORS.files_missing, at: 0 })
}

function parseStored(bytes: Uint8Array, sizeLimits: RecordLimits): Result<Envelope, EnvelopeError> {
  if (bytes.length === 0) return fail({ code: 'empty', message: 'the body is empty; expected an event as JSON', at: 0 })
  const json = readStoredEvent(bytes, sizeLimits.event)
  if (!json.ok) {
    if (json.error === 'too_large') return tooLarge
    return fail({ code: 'header_not_json', message: `the stored event is not ${json.error}`, at: 0 })
  }
  const event = parseJson(json.value)
  if (!isObject(event))
    return fail({ code: 'header_not_json', message: 'the stored event is not a JSON object', at: 0 })
  const header = typeof event.event_id === 'string' ? { event_id: event.event_id } : {}
  // Old SDKs also sent transactions to this endpoint, as events of type `transaction`.
  return succeed(oneItem(header, { type: event.type === 'transaction' ? 'transaction' : 'event' }, bytes, json.value))
}

/** Parses a report of a browser: one object, or an array of objects (Reporting API). */
function parseReport(
  bytes: Uint8Array,
  sizeLimits: RecordLimits,
  type: 'raw_security' | 'nel',
): Result<Envelope, EnvelopeError> {
  if (bytes.length === 0) return fail({ code: 'empty', message: 'the body is empty; expected a report as JSON', at: 0 })
  if (bytes.length > sizeLimits.event) return tooLarge
  const report = parseJson(bytes)
  if (!isObject(report) && !Array.isArray(report))
    return fail({ code: 'header_not_json', message: 'the report is neither a JSON object nor an array', at: 0 })
  return succeed(oneItem({}, { type }, bytes, bytes))
}

const tooLarge = fail<EnvelopeError>({
  code: 'payload_too_large',
  message: "envelope exceeded size limits for type 'event'",
  at: 0,
})

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const OPEN_BRACE = 0x7b
const SPACE = 0x20
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}$/

/**
 * Raven clients send an event plain, as base64, or as base64 of zlib, and no header names the form: as in Relay, the
 * first byte decides. @param limit maximum bytes of JSON; inflating stops there.
 */
function readStoredEvent(
  bytes: Uint8Array,
  limit: number,
): Result<Uint8Array, 'too_large' | 'JSON or base64' | 'base64 of JSON or of zlib'> {
  if (startsLikeJson(bytes)) return bytes.length > limit ? fail('too_large') : succeed(bytes)
  const text = new TextDecoder('latin1').decode(bytes).trim()
  if (!BASE64.test(text)) return fail('JSON or base64')
  const binary = Buffer.from(text, 'base64')
  if (startsLikeJson(binary)) return binary.length > limit ? fail('too_large') : succeed(binary)
  try {
    return succeed(inflateSync(binary, Number.isFinite(limit) ? { maxOutputLength: limit } : {}))
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    return fail(isTooLarge ? 'too_large' : 'base64 of JSON or of zlib')
  }
}

function startsLikeJson(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte > SPACE)
  return first === OPEN_BRACE
}
