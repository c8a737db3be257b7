import type { Endpoint } from './endpoint'
import { type Envelope, type EnvelopeError, type FramingLimits, NO_FRAMING_LIMITS, parseEnvelope } from './envelope'
import type { Limits } from './limits'
import { fail, type Result, succeed } from './result'
import { readStoredEvent } from './stored-event'

export type { Endpoint } from './endpoint'

/** What the endpoint lets through; a record has been through it, and is framed without. */
export type RecordLimits = FramingLimits & Pick<Limits, 'event'>
const NO_LIMITS: RecordLimits = { ...NO_FRAMING_LIMITS, event: Number.POSITIVE_INFINITY }

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * A record as an envelope, whatever kind of body it is. A bare event or report frames as one item that spans the whole
 * body, so that everything downstream knows envelopes only. The payload of an event that came as base64 is the JSON
 * that it holds; the record keeps the bytes as they came.
 */
export function frameRecord(
  endpoint: Endpoint,
  bytes: Uint8Array,
  limits: RecordLimits = NO_LIMITS,
): Result<Envelope, EnvelopeError> {
  if (endpoint === 'store') return frameStored(bytes, limits)
  return endpoint === 'security' ? frameReport(bytes, limits) : parseEnvelope(bytes, limits)
}

function frameStored(bytes: Uint8Array, limits: RecordLimits): Result<Envelope, EnvelopeError> {
  if (bytes.length === 0) return fail({ code: 'empty', message: 'the body is empty; a stored event is JSON', at: 0 })
  const json = readStoredEvent(bytes, limits.event)
  if (!json.ok) {
    if (json.error === 'too_large') return tooLarge
    return fail({ code: 'header_not_json', message: `the stored event is not ${json.error}`, at: 0 })
  }
  const event = parseJson(json.value)
  if (!isObject(event))
    return fail({ code: 'header_not_json', message: 'the stored event is not a JSON object', at: 0 })
  const header = typeof event.event_id === 'string' ? { event_id: event.event_id } : {}
  // "Transactions are events of type transaction" was once true of this endpoint too.
  return succeed(oneItem(header, event.type === 'transaction' ? 'transaction' : 'event', bytes, json.value))
}

/** A report of a browser: one object, or an array of them (Reporting API). */
function frameReport(bytes: Uint8Array, limits: RecordLimits): Result<Envelope, EnvelopeError> {
  if (bytes.length === 0) return fail({ code: 'empty', message: 'the body is empty; a report is JSON', at: 0 })
  if (bytes.length > limits.event) return tooLarge
  const report = parseJson(bytes)
  if (!isObject(report) && !Array.isArray(report))
    return fail({ code: 'header_not_json', message: 'the report is neither a JSON object nor an array', at: 0 })
  return succeed(oneItem({}, 'raw_security', bytes, bytes))
}

const tooLarge = fail<EnvelopeError>({
  code: 'payload_too_large',
  message: "envelope exceeded size limits for type 'event'",
  at: 0,
})

const oneItem = (header: Envelope['header'], type: string, record: Uint8Array, payload: Uint8Array): Envelope => ({
  header,
  headerEnd: 0,
  items: [{ header: { type }, start: 0, payloadStart: 0, payloadEnd: record.length, payload }],
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
