import { describe, expect, it } from 'vitest'
import { decodeRequest } from '../../../lib/otlp/decode'
import { OTLP_SIGNALS, type OtlpSignal } from '../../../lib/otlp/signals'
import { traverseRecorded } from '../../../lib/otlp/traverse-otlp'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import type { RowVisitor } from '../../../lib/protocol/traversal/rows'
import { fillMessage } from './filled-message'
import { encodeRequest, messageNames, messageType, requestType, withBinaryIds } from './requests'

/** Fields that no row contains, with the reason. The record has their bytes. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'EntityRef.schemaUrl': 'entities are in development in the specification, and no SDK sends them',
  'EntityRef.type': 'as EntityRef.schemaUrl',
  'EntityRef.idKeys': 'as EntityRef.schemaUrl',
  'EntityRef.descriptionKeys': 'as EntityRef.schemaUrl',
}

/** Everything that the traversal reports for a request, one row a line. */
function rowsOf(signal: OtlpSignal, encoding: 'json' | 'protobuf', request: object): string {
  const lines: string[] = []
  const add = (row: unknown): void => {
    lines.push(JSON.stringify(row))
  }
  const visitor: RowVisitor = {
    envelope: add,
    item: (row) => add({ ...row, bytes: 0 }),
    segment: add,
    span: add,
    event: add,
    signal: add,
  }
  const contentType = encoding === 'json' ? 'application/json' : 'application/x-protobuf'
  const body = encodeRequest(signal, encoding, request)
  const facts = { seq: 1, journal: 1, receivedAt: 1, copy: false, stamp: null }
  traverseRecorded({ ...facts, endpoint: `otlp_${signal}`, contentType, body }, visitor, 0, SIZE_LIMITS)
  return lines.join('\n')
}

describe.each(OTLP_SIGNALS)('a %s request with every field of the schema', (signal) => {
  const filled = fillMessage(requestType(signal))

  it('keeps each field in a row, unless it is listed as left out', () => {
    const missing = new Set<string>()
    for (const { value, markers } of filled) {
      const rows = rowsOf(signal, 'protobuf', value as object)
      for (const { path, expected } of markers) if (!expected.test(rows)) missing.add(path)
    }
    expect([...missing].sort()).toEqual(Object.keys(LEFT_OUT).sort())
  })

  it('becomes the same rows in JSON and protobuf', () => {
    for (const { value } of filled)
      expect(rowsOf(signal, 'json', value as object)).toBe(rowsOf(signal, 'protobuf', value as object))
  })

  it('becomes the same rows from JSON whose integers are text', () => {
    const asText = (json: string): object =>
      JSON.parse(json, (_key, value) => (Number.isInteger(value) ? String(value) : value))
    for (const { value } of filled)
      expect(rowsOf(signal, 'json', asText(JSON.stringify(value)))).toBe(rowsOf(signal, 'json', value as object))
  })

  it('has a marker for each field of each message that it contains', () => {
    const paths = new Set(filled.flatMap(({ markers }) => markers.map(({ path }) => path)))
    const messages = new Set([...paths].map((path) => path.slice(0, path.lastIndexOf('.'))))
    const expected = messageNames()
      .filter((name) => messages.has(name.replace(/^.*?\.v1\./, '')))
      .flatMap((name) => scalarPaths(name))
    expect(messages.size).toBeGreaterThan(5)
    expect([...paths].sort()).toEqual(expected.sort())
  })
})

function scalarPaths(name: string): readonly string[] {
  return messageType(name)
    .fieldsArray.filter((field) => field.resolve().resolvedType === null)
    .map((field) => `${name.replace(/^.*?\.v1\./, '')}.${field.name}`)
}

it.each(messageNames())('the schema encodes and decodes every field of %s', (name) => {
  const type = messageType(name)
  for (const { value, markers } of fillMessage(type)) {
    expect(markers.length).toBeGreaterThan(0)
    const message = type.fromObject(withBinaryIds(value) as object)
    const decoded = type.toObject(type.decode(type.encode(message).finish()), { longs: String })
    expect(decoded).toEqual(binaryValue(value))
  }
})

it.each(OTLP_SIGNALS)('the schema ignores fields of a later version in a %s request', (signal) => {
  const [first] = fillMessage(requestType(signal))
  const body = encodeRequest(signal, 'protobuf', first?.value as object)
  // Field 1000, five bytes of text.
  const later = Buffer.concat([body, Buffer.from('c23e0568656c6c6f', 'hex')])
  const decoded = decodeRequest(signal, 'protobuf', later)
  expect(decoded).toEqual(decodeRequest(signal, 'protobuf', body))
  expect(decoded.ok).toBe(true)
})

/** A message as protobuf.js returns it: bytes are buffers. */
function binaryValue(value: unknown): unknown {
  const withIds = withBinaryIds(value)
  const convert = (at: unknown): unknown => {
    if (Buffer.isBuffer(at)) return at
    if (Array.isArray(at)) return at.map(convert)
    if (typeof at !== 'object' || at === null) return at
    return Object.fromEntries(
      Object.entries(at).map(([key, inner]) => [
        key,
        key === 'bytesValue' ? Buffer.from(String(inner), 'base64') : convert(inner),
      ]),
    )
  }
  return convert(withIds)
}
