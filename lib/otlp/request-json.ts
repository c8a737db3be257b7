import { isObject } from '../protocol/json-value'
import { type Result, succeed } from '../protocol/result'
import { decodeRequest, type ExportRequest } from './decode'
import type { OtlpEncoding, OtlpSignal } from './signals'
import { base64Of, bigintOf, hexOf } from './values'

interface ShownRequest {
  readonly text: string
  /** True when the text ends before the request does. */
  readonly truncated: boolean
}

/**
 * Prints a request as indented OTLP/JSON: ids in hex, 64-bit integers of protobuf as decimal text, other bytes in base64
 * (OTLP specification, "JSON Protobuf Encoding"). @param most characters of the text
 */
export function requestJson(
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  bytes: Uint8Array,
  most: number,
): Result<ShownRequest, string> {
  const request = decodeRequest(signal, encoding, bytes)
  if (!request.ok) return request
  const parts: string[] = []
  let size = 0
  for (const part of printed(request.value, '')) {
    parts.push(part)
    size += part.length
    // The JSON of a large request takes far more memory than the request.
    if (size > most) break
  }
  return succeed({ text: parts.join('').slice(0, most), truncated: size > most })
}

/**
 * A decoded request as one line of OTLP/JSON, whatever its encoding was (OTLP specification, "JSON Protobuf Encoding").
 */
export const requestLine = (request: ExportRequest): string => [...printed(request, null)].join('')

const ID_FIELDS: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId'])

/** Yields the JSON of a decoded value in small parts. @param indent `null` for one line @param name of the field that holds the value */
function* printed(value: unknown, indent: string | null, name = ''): Generator<string> {
  if (value instanceof Uint8Array) {
    yield JSON.stringify(ID_FIELDS.has(name) ? hexOf(value) : base64Of(value))
    return
  }
  if (Array.isArray(value)) {
    yield* block(
      '[]',
      value.map((inner) => ['', inner, name]),
      indent,
    )
    return
  }
  if (!isObject(value)) {
    // JSON has no NaN and no infinity: OTLP writes them as text.
    yield JSON.stringify(typeof value === 'number' && !Number.isFinite(value) ? String(value) : value)
    return
  }
  const integer = bigintOf(value)
  if (integer !== null) {
    yield JSON.stringify(integer.toString())
    return
  }
  // Unset fields are on the prototype of a message, except lists, which are empty.
  const fields = Object.entries(value).filter(([, inner]) => !Array.isArray(inner) || inner.length > 0)
  yield* block(
    '{}',
    fields.map(([field, inner]) => [`${JSON.stringify(field)}:${indent === null ? '' : ' '}`, inner, field]),
    indent,
  )
}

function* block(
  [open, close]: string,
  entries: readonly (readonly [label: string, value: unknown, name: string])[],
  indent: string | null,
): Generator<string> {
  yield `${open}`
  const inner = indent === null ? null : `${indent}  `
  for (const [at, [label, value, name]] of entries.entries()) {
    yield `${at === 0 ? '' : ','}${inner === null ? '' : `\n${inner}`}${label}`
    yield* printed(value, inner, name)
  }
  yield entries.length === 0 || indent === null ? `${close}` : `\n${indent}${close}`
}
