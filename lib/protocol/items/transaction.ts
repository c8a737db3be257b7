import { hex16, hex32 } from '../ids'
import { firstOf, isObject, type JsonObject, text } from '../json-value'
import { parseExactObject } from '../parse-json'
import { fail, type Result, succeed } from '../result'
import { SIZE_LIMITS } from '../size-limits'
import { type EpochUs, endOf, type SpanEnd, usFromTimestamp } from '../timestamp'
import { sdkName } from './event'
import type { ReadLimits } from './signal'

export interface TransactionItem {
  readonly eventId: string | null
  readonly name: string | null
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly op: string | null
  readonly status: string | null
  readonly origin: string | null
  readonly startUs: EpochUs
  readonly endUs: EpochUs
  readonly attributes: JsonObject
  readonly measurements: JsonObject
  readonly links: readonly JsonObject[]
  readonly platform: string | null
  readonly runtime: string | null
  readonly sdk: string | null
  /** `null` also when the SDK has no name. */
  readonly sdkVersion: string | null
  readonly environment: string | null
  readonly release: string | null
  readonly spans: readonly TransactionSpan[]
  /** The number of children without a span_id or a start. */
  readonly unreadable: number
  /** The number of children over the limit, which are not read. */
  readonly beyond: number
}

interface TransactionSpan extends SpanEnd {
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly op: string | null
  readonly description: string | null
  readonly status: string | null
  readonly origin: string | null
  readonly startUs: EpochUs
  readonly attributes: JsonObject
  readonly links: readonly JsonObject[]
}

/** Children without id or start are left out; a segment without them is an error. */
export function parseTransaction(
  payload: Uint8Array,
  fallbackId: string | null,
  sizeLimits: ReadLimits = SIZE_LIMITS,
  most: number = Number.POSITIVE_INFINITY,
): Result<TransactionItem, string> {
  const json = parseExactObject(payload, sizeLimits.depth)
  if (!json.ok) return json
  const item = json.value
  const contexts = isObject(item.contexts) ? item.contexts : {}
  const trace = isObject(contexts.trace) ? contexts.trace : {}
  const traceId = hex32(trace.trace_id)
  const spanId = hex16(trace.span_id)
  if (traceId === null || spanId === null)
    return fail('the transaction has no contexts.trace with a trace_id and a span_id')
  const startUs = usFromTimestamp(item.start_timestamp) ?? usFromTimestamp(item.timestamp)
  const endUs = usFromTimestamp(item.timestamp) ?? startUs
  if (startUs === null || endUs === null) return fail('the transaction has neither start_timestamp nor timestamp')
  const { read, beyond } = firstOf(Array.isArray(item.spans) ? item.spans : [], most)
  const spans = objects(read).flatMap(spanOf)
  return succeed({
    eventId: hex32(item.event_id) ?? fallbackId,
    name: text(item.transaction),
    traceId,
    spanId,
    parentSpanId: hex16(trace.parent_span_id),
    op: text(trace.op),
    status: text(trace.status),
    origin: text(trace.origin),
    startUs,
    endUs,
    attributes: isObject(trace.data) ? trace.data : {},
    measurements: isObject(item.measurements) ? item.measurements : {},
    links: objects(trace.links),
    platform: text(item.platform),
    runtime: isObject(contexts.runtime) ? text(contexts.runtime.name) : null,
    sdk: sdkName(item.sdk),
    sdkVersion: sdkName(item.sdk) !== null && isObject(item.sdk) ? text(item.sdk.version) : null,
    environment: text(item.environment),
    release: text(item.release),
    spans,
    unreadable: read.length - spans.length,
    beyond,
  })
}

function spanOf(span: JsonObject): TransactionSpan[] {
  const spanId = hex16(span.span_id)
  const startUs = usFromTimestamp(span.start_timestamp)
  if (spanId === null || startUs === null) return []
  const tags = isObject(span.tags) ? span.tags : null
  const data = isObject(span.data) ? span.data : {}
  return [
    {
      spanId,
      parentSpanId: hex16(span.parent_span_id),
      op: text(span.op),
      description: text(span.description),
      // Python SDKs up to version 1 write the status of a span only as a tag.
      status: text(span.status) ?? text(tags?.status),
      origin: text(span.origin),
      startUs,
      ...endOf(span.timestamp, startUs),
      attributes: tags === null ? data : { ...tags, ...data },
      links: objects(span.links),
    },
  ]
}

const objects = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
