import protobuf from 'protobufjs/light.js'
import { isObject, type JsonObject } from '../protocol/json-value'
import { MOST_VALUES, parseJsonObject } from '../protocol/parse-json'
import { fail, type Result, succeed } from '../protocol/result'
import { countValues } from './count-values'
import schema from './schema.json' with { type: 'json' }
import type { OtlpEncoding, OtlpSignal } from './signals'

/**
 * An export request as its encoding delivers it: JSON, or a protobuf message with the same property names. They differ
 * in ids (hex text or bytes) and 64-bit integers (text, number or `Long`); `values.ts` reads both.
 */
export type ExportRequest = JsonObject

let root: protobuf.Root | null = null
const SERVICE = { traces: 'trace.v1.ExportTrace', logs: 'logs.v1.ExportLogs', metrics: 'metrics.v1.ExportMetrics' }
function messageType(signal: OtlpSignal, suffix: string): protobuf.Type {
  root ??= protobuf.Root.fromJSON(schema)
  return root.lookupType(`opentelemetry.proto.collector.${SERVICE[signal]}${suffix}`)
}

/** The message of an export request, for readers that need its bytes as they are. */
export const requestType = (signal: OtlpSignal): protobuf.Type => messageType(signal, 'ServiceRequest')

/** JSON that is nested deeper is refused. A value in a list in a map of an attribute has a depth of 14. */
const MAX_DEPTH = 100

/** Decodes an export request, or returns an error message. Unknown fields are ignored (OTLP specification, "JSON"). */
export function decodeRequest(
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  bytes: Uint8Array,
): Result<ExportRequest, string> {
  if (encoding === 'json') return parseJsonObject(bytes, MAX_DEPTH)
  // A value takes at least one byte.
  if (bytes.length > MOST_VALUES && countValues(requestType(signal), bytes, MOST_VALUES) > MOST_VALUES)
    return fail(`the request holds more than ${MOST_VALUES} messages and list elements; export fewer entries at once`)
  try {
    const message: unknown = messageType(signal, 'ServiceRequest').decode(bytes)
    return isObject(message) ? succeed(message) : fail('the body is not a protobuf message')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return fail(`the body is not a protobuf ${requestType(signal).name}: ${why.slice(0, 200)}`)
  }
}

const REJECTED = { traces: 'rejectedSpans', logs: 'rejectedLogRecords', metrics: 'rejectedDataPoints' }

interface Rejected {
  readonly count: number
  readonly message: string
}

/** The body of a 200 answer. @param rejected `null` when every entry was accepted */
export function encodeSuccess(
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  rejected: Rejected | null,
): Uint8Array<ArrayBuffer> {
  const answer =
    rejected === null
      ? {}
      : { partialSuccess: { [REJECTED[signal]]: String(rejected.count), errorMessage: rejected.message } }
  if (encoding === 'json') return new TextEncoder().encode(JSON.stringify(answer))
  const type = messageType(signal, 'ServiceResponse')
  return new Uint8Array(type.encode(type.fromObject(answer)).finish())
}

/** `google.rpc.Status`: OTLP demands it as the body of every 4xx and 5xx answer. */
const STATUS = new protobuf.Type('Status')
  .add(new protobuf.Field('code', 1, 'int32'))
  .add(new protobuf.Field('message', 2, 'string'))

/** The body of an answer with an error. @param code of `google.rpc.Code` */
export function encodeFailure(encoding: OtlpEncoding, code: number, message: string): Uint8Array<ArrayBuffer> {
  if (encoding === 'json') return new TextEncoder().encode(JSON.stringify({ code, message }))
  return new Uint8Array(STATUS.encode({ code, message }).finish())
}
