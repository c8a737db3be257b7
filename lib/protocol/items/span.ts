import { hex16, hex32 } from '../ids'
import { firstOf, isObject, type JsonObject, text } from '../json-value'
import { parseExactObject } from '../parse-json'
import { fail, type Result, succeed } from '../result'
import { SIZE_LIMITS } from '../size-limits'
import { type EpochUs, endOf, type SpanEnd, usFromTimestamp } from '../timestamp'
import type { ReadLimits } from './signal'

export interface SpanItem extends SpanEnd {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string | null
  readonly status: string | null
  readonly isSegment: boolean
  readonly startUs: EpochUs
  /** `{ "sentry.op": { value: "pageload", type: "string" } }` as plain `{ "sentry.op": "pageload" }`. */
  readonly attributes: JsonObject
  readonly links: readonly JsonObject[]
}

interface SpanContainer {
  readonly spans: readonly SpanItem[]
  readonly unreadable: number
  /** The number of entries over the limit, which are not read. */
  readonly beyond: number
}

/** Parses a streamed container, or an old stand-alone span, which is one entry without a container. */
export function parseSpanContainer(
  payload: Uint8Array,
  sizeLimits: ReadLimits = SIZE_LIMITS,
  most: number = Number.POSITIVE_INFINITY,
): Result<SpanContainer, string> {
  const json = parseExactObject(payload, sizeLimits.depth)
  if (!json.ok) return json
  const entries: readonly unknown[] = Array.isArray(json.value.items) ? json.value.items : [json.value]
  const { read, beyond } = firstOf(entries, most)
  const spans = read.filter(isObject).flatMap(spanOf)
  if (spans.length === 0 && read.length > 0)
    return fail('no entry of the span container has a trace_id, a span_id and a start_timestamp')
  return succeed({ spans, unreadable: read.length - spans.length, beyond })
}

function spanOf(entry: JsonObject): SpanItem[] {
  const traceId = hex32(entry.trace_id)
  const spanId = hex16(entry.span_id)
  const startUs = usFromTimestamp(entry.start_timestamp)
  if (traceId === null || spanId === null || startUs === null) return []
  const attributes = isObject(entry.attributes) ? valuesOf(entry.attributes) : isObject(entry.data) ? entry.data : {}
  return [
    {
      traceId,
      spanId,
      parentSpanId: hex16(entry.parent_span_id),
      name: text(entry.name) ?? text(entry.description),
      status: text(entry.status),
      isSegment: entry.is_segment === true,
      startUs,
      ...endOf(entry.end_timestamp ?? entry.timestamp, startUs),
      attributes: entry.op === undefined ? attributes : { 'sentry.op': entry.op, ...attributes },
      links: Array.isArray(entry.links) ? entry.links.filter(isObject) : [],
    },
  ]
}

/** Returns typed attributes as plain values; the type adds nothing to the JSON value. */
export function valuesOf(attributes: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, isObject(value) && 'value' in value ? value.value : value]),
  )
}
