import { expect, it } from 'vitest'
import { decodeRequest, encodeFailure, encodeSuccess } from '../../../lib/otlp/decode'
import { encodingOf } from '../../../lib/otlp/signals'
import { bigintOf } from '../../../lib/otlp/values'
import { lengthDelimited } from './protobuf-bytes'
import { encodeRequest, messageType, SPAN, tracesRequest } from './requests'

it.each([
  ['application/json', 'json'],
  ['Application/JSON; charset=utf-8', 'json'],
  ['application/x-protobuf', 'protobuf'],
  ['application/grpc', null],
  ['text/plain', null],
  [null, null],
])('encodingOf reads %j as %j', (contentType, encoding) => {
  expect(encodingOf(contentType)).toBe(encoding)
})

it.each(['json', 'protobuf'] as const)('decodeRequest keeps every nanosecond of %s', (encoding) => {
  const decoded = decodeRequest('traces', encoding, encodeRequest('traces', encoding, tracesRequest(SPAN)))
  const request = decoded.ok ? decoded.value : {}
  const path = 'resourceSpans.0.scopeSpans.0.spans.0.startTimeUnixNano'
  expect(bigintOf(valueAt(request, path))).toBe(1544712660000000123n)
})

it('decodeRequest returns an error for bytes that are not protobuf', () => {
  const decoded = decodeRequest('traces', 'protobuf', Uint8Array.of(0x0a, 0xff, 0x01))
  expect(decoded).toEqual({ ok: false, error: expect.stringMatching(/^the body is not a protobuf/) })
})

it('decodeRequest returns an error for text that is not a JSON object', () => {
  expect(decodeRequest('logs', 'json', Buffer.from('[]'))).toMatchObject({ ok: false })
  expect(decodeRequest('logs', 'json', Buffer.from('{'))).toMatchObject({ ok: false })
})

it('decodeRequest returns an error for lists that are nested thousands of levels deep', () => {
  // The encoder refuses such a depth, so each level is written by hand: AnyValue.array_value, ArrayValue.values.
  let value: Buffer = Buffer.alloc(0)
  for (let depth = 0; depth < 3000; depth += 1) value = lengthDelimited(5, lengthDelimited(1, value))
  const body = lengthDelimited(1, lengthDelimited(1, lengthDelimited(1, lengthDelimited(2, value))))
  expect(decodeRequest('traces', 'protobuf', body)).toMatchObject({ ok: false })
})

it('encodeSuccess is an empty message when every entry was accepted', () => {
  expect(Buffer.from(encodeSuccess('traces', 'json', null)).toString()).toBe('{}')
  expect(encodeSuccess('traces', 'protobuf', null)).toHaveLength(0)
})

it.each([
  ['traces', 'collector.trace.v1.ExportTraceServiceResponse', 'rejectedSpans'],
  ['logs', 'collector.logs.v1.ExportLogsServiceResponse', 'rejectedLogRecords'],
  ['metrics', 'collector.metrics.v1.ExportMetricsServiceResponse', 'rejectedDataPoints'],
] as const)('encodeSuccess states the rejected entries of %s in both encodings', (signal, name, field) => {
  const rejected = { count: 3, message: 'no ids' }
  const expected = { partialSuccess: { [field]: '3', errorMessage: 'no ids' } }
  expect(JSON.parse(Buffer.from(encodeSuccess(signal, 'json', rejected)).toString())).toEqual(expected)
  const type = messageType(name)
  const message = type.decode(encodeSuccess(signal, 'protobuf', rejected))
  expect(type.toObject(message, { longs: String })).toEqual(expected)
})

it('encodeFailure is a google.rpc.Status in both encodings', () => {
  expect(JSON.parse(Buffer.from(encodeFailure('json', 3, 'wrong')).toString())).toEqual({ code: 3, message: 'wrong' })
  // Field 1, varint 3; field 2, five bytes of text.
  expect(Buffer.from(encodeFailure('protobuf', 3, 'wrong')).toString('hex')).toBe('08031205' + '77726f6e67')
})

const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>>)[key], value)
