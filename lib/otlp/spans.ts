import { isObject, type JsonObject, text } from '../protocol/json-value'
import {
  commonFields,
  type OpenTelemetryDetails,
  type OpenTelemetryResource,
  type OpenTelemetryScope,
  type Segment,
  type SegmentSpan,
  type SpanLink,
} from '../protocol/trace/segment'
import { segmentIds } from './assign-segments'
import { describeSpan } from './conventions'
import type { ExportRequest } from './decode'
import { visitEntries } from './entries'
import type { Sender } from './sender'
import { attributesOf, countOf, int32Of, nanosOf, objectsOf, spanIdOf, traceIdOf, usFromNanos } from './values'

/** One span of a request. */
export interface ReadSpan {
  readonly span: SegmentSpan
  /** `null` for a span that is not the first one of its service. */
  readonly segment: Segment | null
  readonly sender: Sender
}

export interface ReadSpans {
  readonly spans: readonly ReadSpan[]
  /** Spans without a valid trace id, span id or start time. */
  readonly invalid: number
  /** Spans over the limit, which are not read. */
  readonly beyond: number
}

/** Indexed by the numbers of `SpanKind`. */
export const SPAN_KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const
export const STATUSES = ['unset', 'ok', 'error'] as const

/** Reads the spans of an export request, in its order. @param most spans to read; the others only count as `beyond` */
export function readSpans(request: ExportRequest, most: number): ReadSpans {
  const spans: ReadSpan[] = []
  let [invalid, beyond] = [0, 0]
  visitEntries('traces', request, (given, { resource, scope, sender }) => {
    if (spans.length >= most) {
      beyond += 1
      return
    }
    const read = readSpan(given, resource, scope, sender)
    if (read === null) invalid += 1
    else spans.push(read)
  })
  const segments = segmentIds(spans.map(({ span }) => span))
  return {
    spans: spans.map((one) => ({ ...one, span: { ...one.span, segmentId: segments.get(one.span) ?? null } })),
    invalid,
    beyond,
  }
}

function readSpan(
  given: JsonObject,
  resource: OpenTelemetryResource,
  scope: OpenTelemetryScope,
  sender: Sender,
): ReadSpan | null {
  const traceId = traceIdOf(given.traceId)
  const spanId = spanIdOf(given.spanId)
  const startNanos = nanosOf(given.startTimeUnixNano)
  if (traceId === null || spanId === null || startNanos === null) return null
  const parentSpanId = spanIdOf(given.parentSpanId)
  const endNanos = nanosOf(given.endTimeUnixNano) ?? startNanos
  const attributes = attributesOf(given.attributes)
  const kind = SPAN_KINDS[Number(given.kind)] ?? 'unspecified'
  const flags = int32Of(given.flags) ?? 0
  const status = isObject(given.status) ? given.status : {}
  const isSegment = parentSpanId === null || startsSegment(flags, kind)
  const name = text(given.name) ?? '(unnamed)'
  const described = describeSpan({ name, kind, attributes })
  const span: SegmentSpan = {
    traceId,
    spanId,
    parentSpanId,
    segmentId: isSegment ? spanId : null,
    isSegment,
    name: described.name,
    op: described.op,
    status: statusOf(STATUSES[Number(status.code)] ?? 'unset', described.status),
    origin: text(attributes['sentry.origin']),
    service: sender.service,
    startUs: usFromNanos(startNanos),
    // A clock that was set back while the span was open gives an end before the start.
    endUs: Math.max(usFromNanos(startNanos), usFromNanos(endNanos)),
    attributes,
    links: objectsOf(given.links).flatMap(linkOf),
    otel: detailsOf(given, { kind, flags, startNanos, endNanos, resource, scope }),
  }
  const segment = isSegment ? segmentOf(span, sender) : null
  return { span, segment, sender }
}

/** Bits of `Span.flags` (trace.proto, `SpanFlags`). */
export const HAS_IS_REMOTE = 0x100
export const IS_REMOTE = 0x200

/**
 * A span whose parent belongs to another process starts a segment. SDKs before OTLP 1.1 do not say that: of theirs, the
 * kinds that receive a request or a message do.
 */
function startsSegment(flags: number, kind: string): boolean {
  if ((flags & HAS_IS_REMOTE) !== 0) return (flags & IS_REMOTE) !== 0
  return kind === 'server' || kind === 'consumer'
}

/** An unset status takes the one that the attributes imply, as of an HTTP response. */
const statusOf = (sent: (typeof STATUSES)[number], implied: string | null): string | null =>
  sent === 'unset' ? implied : sent

function linkOf(given: JsonObject): readonly SpanLink[] {
  const traceId = traceIdOf(given.traceId)
  const spanId = spanIdOf(given.spanId)
  if (traceId === null || spanId === null) return []
  const attributes = attributesOf(given.attributes)
  const droppedAttributes = countOf(given.droppedAttributesCount)
  const flags = int32Of(given.flags) ?? 0
  const traceState = text(given.traceState)
  const otel = { flags, traceState, droppedAttributes }
  return [{ traceId, spanId, type: text(attributes['sentry.link.type']), attributes, otel }]
}

function detailsOf(
  given: JsonObject,
  { kind, flags, startNanos, endNanos, resource, scope }: SpanFacts,
): OpenTelemetryDetails {
  return {
    kind,
    flags,
    traceState: text(given.traceState),
    startNanos: startNanos.toString(),
    endNanos: endNanos.toString(),
    statusMessage: isObject(given.status) ? text(given.status.message) : null,
    events: objectsOf(given.events).map((event) => ({
      name: text(event.name) ?? '(unnamed)',
      timeNanos: (nanosOf(event.timeUnixNano) ?? startNanos).toString(),
      attributes: attributesOf(event.attributes),
      droppedAttributes: countOf(event.droppedAttributesCount),
    })),
    dropped: {
      attributes: countOf(given.droppedAttributesCount),
      events: countOf(given.droppedEventsCount),
      links: countOf(given.droppedLinksCount),
    },
    resource,
    scope,
  }
}

interface SpanFacts {
  readonly kind: string
  readonly flags: number
  readonly startNanos: bigint
  readonly endNanos: bigint
  readonly resource: OpenTelemetryResource
  readonly scope: OpenTelemetryScope
}

const segmentOf = (span: SegmentSpan, sender: Sender): Segment => ({
  ...commonFields(span),
  segmentId: span.spanId,
  lifecycle: 'otlp',
  environment: sender.environment,
  release: sender.release,
  sdk: sender.sdk,
})
