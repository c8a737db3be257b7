import { isObject, type JsonObject, number, text } from '../protocol/json-value'
import { STAMP_ATTRIBUTE } from '../protocol/request'
import type { Segment, SegmentSpan, SpanLink } from '../protocol/trace/segment'
import { isErrorStatus } from '../protocol/trace/span-status'
import type { SignalWithService, TraversedEvent } from '../protocol/traversal/rows'
import type { ExportRequest } from './decode'
import { LEVELS } from './logs'
import { TEMPORALITIES } from './metrics'
import { HAS_IS_REMOTE, IS_REMOTE, SPAN_KINDS, STATUSES } from './spans'
import { anyValue, keyValues } from './values'

/** The envelope that contained a row. */
interface Arrival {
  /** Ms since the epoch. */
  readonly receivedAt: number
  readonly stamp: string | null
}

/** The rows of one envelope of Sentry. */
export interface EnvelopeRows {
  readonly arrival: Arrival
  /** The SDK, where rows do not name it. */
  readonly sdk: string | null
  readonly segments: readonly Segment[]
  readonly spans: readonly SegmentSpan[]
  readonly events: readonly TraversedEvent[]
  readonly signals: readonly SignalWithService[]
}

/** The requests of OTLP/JSON that rows of an envelope become, and the rows that OTLP has no form for. */
export interface ExportedRows {
  readonly requests: readonly ExportRequest[]
  /** A kind of each row, such as `session`, or `span` for one without a start. */
  readonly rest: readonly string[]
}

/**
 * Converts the rows of an envelope: spans, logs, metrics, and errors as log records. Attributes of Sentry that OTLP has no
 * field for begin with `sentry.`, so that reading the result gives the same operations, names and services.
 */
export function exportRows(rows: EnvelopeRows): ExportedRows {
  const rest: string[] = []
  const spans = new Grouped()
  const logs = new Grouped()
  const metrics = new Grouped()
  const segments = new Map(rows.segments.map((segment) => [segment.segmentId, segment]))
  for (const span of rows.spans) {
    if (span.startUs > 0) spans.add(senderOfSpan(span, segments, rows), spanEntry(span))
    else rest.push('span')
  }
  for (const event of rows.events) logs.add(resourceAttributes(event, rows), eventEntry(event))
  for (const signal of rows.signals) {
    const metric = signal.kind === 'metric' ? metricEntry(signal) : null
    if (signal.kind === 'log')
      logs.add(resourceAttributes({ ...signal, sdk: null }, rows), logEntry(signal, rows.arrival))
    else if (metric !== null) metrics.add(resourceAttributes({ ...signal, sdk: null }, rows), metric)
    else rest.push(signal.kind)
  }
  const requests = [
    spans.request('resourceSpans', 'scopeSpans', 'spans'),
    logs.request('resourceLogs', 'scopeLogs', 'logRecords'),
    metrics.request('resourceMetrics', 'scopeMetrics', 'metrics'),
  ]
  return { requests: requests.filter((one) => one !== null), rest }
}

/** Entries by their resource. */
class Grouped {
  readonly #groups = new Map<string, { readonly sender: JsonObject; readonly entries: JsonObject[] }>()

  add(sender: JsonObject, entry: JsonObject): void {
    const key = JSON.stringify(sender)
    const group = this.#groups.get(key) ?? { sender, entries: [] }
    this.#groups.set(key, group)
    group.entries.push(entry)
  }

  /** @returns `null` without entries */
  request(ofResource: string, ofScope: string, list: string): ExportRequest | null {
    if (this.#groups.size === 0) return null
    const resources = [...this.#groups.values()].map(({ sender, entries }) => ({
      resource: { attributes: keyValues(sender) },
      [ofScope]: [{ scope: { name: sender['telemetry.sdk.name'] ?? 'sentry' }, [list]: entries }],
    }))
    return { [ofResource]: resources }
  }
}

interface SenderFields {
  readonly service: string | null
  readonly environment: string | null
  readonly release: string | null
  readonly sdk: string | null
}

/** The attributes of a resource (OpenTelemetry semantic conventions, "Resource"). */
function resourceAttributes(of: SenderFields, { sdk, arrival }: Pick<EnvelopeRows, 'sdk' | 'arrival'>): JsonObject {
  // `sentry.javascript.node 11.8.0`, or without a version.
  const [name, version] = (of.sdk ?? sdk ?? '').split(' ')
  return {
    'service.name': of.service ?? 'unknown_service',
    'service.version': of.release,
    'deployment.environment.name': of.environment,
    'telemetry.sdk.name': name || null,
    'telemetry.sdk.version': version,
    [STAMP_ATTRIBUTE]: arrival.stamp,
  }
}

/** A span of the static lifecycle has environment and release only in its segment. */
function senderOfSpan(
  span: SegmentSpan,
  segments: ReadonlyMap<string, Segment>,
  rows: Pick<EnvelopeRows, 'sdk' | 'arrival'>,
): JsonObject {
  const segment = segments.get(span.segmentId ?? '')
  const ofSegment = { environment: segment?.environment ?? null, release: segment?.release ?? null }
  const environment = ofSegment.environment ?? text(span.attributes['sentry.environment'])
  const release = ofSegment.release ?? text(span.attributes['sentry.release'])
  const sdk = segment?.sdk ?? text(span.attributes['sentry.sdk.name'])
  return resourceAttributes({ service: span.service, environment, release, sdk }, rows)
}

/** `SpanKind` by the beginning of an operation of Sentry; internal for the others. */
const KINDS: readonly (readonly [op: RegExp, kind: (typeof SPAN_KINDS)[number]])[] = [
  [/^(?:http\.server|rpc\.server|mcp\.server|grpc\.server|websocket\.server)/, 'server'],
  [/^(?:http\.client|rpc\.client|grpc\.client|db|cache|gen_ai)/, 'client'],
  [/^queue\.(?:publish|submit|create)/, 'producer'],
  [/^queue\.(?:process|receive|task)/, 'consumer'],
]

function spanEntry(span: SegmentSpan): JsonObject {
  const { op, origin, status } = span
  const isError = isErrorStatus(status)
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== null && {
      parentSpanId: span.parentSpanId,
      // A segment's parent belongs to another process.
      flags: span.isSegment ? HAS_IS_REMOTE | IS_REMOTE : HAS_IS_REMOTE,
    }),
    name: span.name,
    kind: SPAN_KINDS.indexOf(KINDS.find(([pattern]) => pattern.test(op ?? ''))?.[1] ?? 'internal'),
    startTimeUnixNano: nanos(span.startUs),
    endTimeUnixNano: nanos(span.endUs),
    attributes: keyValues({ ...span.attributes, 'sentry.op': op, 'sentry.origin': origin }),
    ...(span.links.length > 0 && { links: span.links.map(linkEntry) }),
    ...(isError && { status: { code: STATUSES.indexOf('error'), ...(status !== 'error' && { message: status }) } }),
    ...(status === 'ok' && { status: { code: STATUSES.indexOf('ok') } }),
  }
}

const linkEntry = ({ traceId, spanId, type }: SpanLink): JsonObject => ({
  traceId,
  spanId,
  attributes: keyValues({ 'sentry.link.type': type }),
})

/** The lowest `SeverityNumber` of a level of Sentry (OpenTelemetry log data model); 0 for an unknown one. */
function severityOf(level: string | null): number {
  const name = level?.toLowerCase() ?? ''
  const at = LEVELS.findIndex((one) => one === (OTHER_NAMES[name] ?? name))
  return at < 0 ? 0 : 4 * at + 1
}

const OTHER_NAMES: Readonly<Record<string, string>> = { log: 'info', warning: 'warn' }

function logEntry(log: SignalWithService, { receivedAt }: Arrival): JsonObject {
  const { fields, level, name, timestampUs } = log
  const attributes = isObject(fields.attributes) ? fields.attributes : {}
  return {
    ...(timestampUs !== null && { timeUnixNano: nanos(timestampUs) }),
    observedTimeUnixNano: nanos(receivedAt * 1000),
    severityNumber: number(fields.severityNumber) ?? severityOf(level),
    ...(level !== null && { severityText: level }),
    body: anyValue(name),
    ...idsOf(log),
    attributes: keyValues(attributes),
  }
}

/** An error as a log record with the attributes of the semantic conventions ("Exceptions in logs"). */
function eventEntry(event: TraversedEvent): JsonObject {
  const [outermost] = event.exceptions
  return {
    timeUnixNano: nanos(event.timestampUs),
    severityNumber: severityOf(event.level),
    severityText: event.level,
    body: anyValue(event.title),
    ...(outermost !== undefined && { eventName: 'exception' }),
    ...idsOf(event),
    attributes: keyValues({
      ...Object.fromEntries(Object.entries(event.tags).map(([name, value]) => [`sentry.tag.${name}`, value])),
      'exception.type': outermost?.type,
      'exception.message': outermost?.value,
      'exception.stacktrace': event.exceptions.length === 0 ? null : stackOf(event),
      'sentry.event_id': event.eventId,
      'sentry.transaction': event.transaction,
      'sentry.handled': event.handled,
    }),
  }
}

/** The stack as V8 prints it, newest call first, with its causes. */
function stackOf({ exceptions }: Pick<TraversedEvent, 'exceptions'>): string {
  const parts = exceptions.map(({ type, value, frames }) => {
    const head = [type, value].filter((part) => part !== null).join(': ')
    const lines = frames.map(({ function: name, filename, line, column }) => {
      const at = [filename ?? '<anonymous>', line, column].filter((part) => part !== null).join(':')
      return name === null ? `    at ${at}` : `    at ${name} (${at})`
    })
    return [head, ...lines].join('\n')
  })
  return parts.join('\nCaused by: ')
}

const DELTA = TEMPORALITIES.indexOf('delta')

/** @returns `null` for a metric without a number, or of a type that OTLP does not have */
function metricEntry(metric: SignalWithService): JsonObject | null {
  const { name, fields, timestampUs } = metric
  const value = number(fields.value)
  if (value === null || timestampUs === null) return null
  const time = { timeUnixNano: nanos(timestampUs) }
  const attributes = keyValues(isObject(fields.attributes) ? fields.attributes : {})
  const exemplars = metric.traceId === null ? {} : { exemplars: [{ ...time, asDouble: value, ...idsOf(metric) }] }
  const point = { ...time, asDouble: value, attributes, ...exemplars }
  const unit = text(fields.unit)
  const named = { name, ...(unit !== null && { unit }) }
  if (fields.type === 'gauge') return { ...named, gauge: { dataPoints: [point] } }
  if (fields.type === 'counter')
    return { ...named, sum: { dataPoints: [point], aggregationTemporality: DELTA, isMonotonic: value >= 0 } }
  if (fields.type !== 'distribution') return null
  // One measurement is a histogram of one value, in a single bucket.
  const measured = { count: '1', sum: value, min: value, max: value, bucketCounts: ['1'], explicitBounds: [] }
  const { asDouble: _, ...rest } = point
  return { ...named, histogram: { dataPoints: [{ ...rest, ...measured }], aggregationTemporality: DELTA } }
}

const idsOf = ({
  traceId,
  spanId,
}: {
  readonly traceId: string | null
  readonly spanId: string | null
}): JsonObject => ({
  ...(traceId !== null && { traceId }),
  ...(spanId !== null && { spanId }),
})

/** Microseconds since the epoch as decimal nanoseconds. */
const nanos = (us: number): string => (BigInt(Math.round(us)) * 1000n).toString()
