import { hex16, hex32 } from '../ids'
import { type SpanItem, valuesOf } from '../items/span'
import type { TransactionItem } from '../items/transaction'
import { isObject, type JsonObject, text } from '../json-value'

/** A segment: in every lifecycle a trace consists of segments, and a segment of spans. Times are µs since the epoch. */
export interface Segment {
  readonly traceId: string
  readonly segmentId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly op: string | null
  readonly status: string | null
  readonly startUs: number
  readonly endUs: number
  readonly lifecycle: 'static' | 'stream' | 'otlp'
  readonly service: string
  readonly environment: string | null
  readonly release: string | null
  readonly sdk: string | null
  /** The trace of the page before, if the SDK links it. */
  readonly previousTrace?: string | undefined
}

export interface SegmentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  /** `null` when the sender does not name it. */
  readonly segmentId: string | null
  readonly isSegment: boolean
  readonly name: string
  readonly op: string | null
  readonly status: string | null
  readonly origin: string | null
  readonly service: string
  readonly startUs: number
  readonly endUs: number
  /** No end was sent. */
  readonly isOpen?: true | undefined
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly SpanLink[]
  /** Present for a span of OpenTelemetry. */
  readonly otel?: OpenTelemetryDetails
}

export interface SpanLink {
  readonly traceId: string
  readonly spanId: string
  /** For example `previous_trace`; `null` when the SDK names no type. */
  readonly type: string | null
  /** Present for a link of OpenTelemetry. */
  readonly attributes?: JsonObject
  readonly otel?: OpenTelemetryLinkDetails
}

/** Fields of an OpenTelemetry link that links of Sentry do not have. */
interface OpenTelemetryLinkDetails {
  /** The bits of W3C trace flags and of `SpanFlags`. */
  readonly flags: number
  readonly traceState: string | null
  /** How many the SDK left out. */
  readonly droppedAttributes: number
}

/** Fields of an OpenTelemetry span that spans of Sentry do not have. */
export interface OpenTelemetryDetails {
  /** `server`, `client`, `internal`, `producer`, `consumer` or `unspecified`. */
  readonly kind: string
  /** The bits of W3C trace flags and of `SpanFlags`. */
  readonly flags: number
  readonly traceState: string | null
  /** Exact decimal nanoseconds since the epoch; `startUs` is rounded down. */
  readonly startNanos: string
  readonly endNanos: string
  readonly statusMessage: string | null
  readonly events: readonly {
    readonly name: string
    readonly timeNanos: string
    readonly attributes: JsonObject
    readonly droppedAttributes: number
  }[]
  /** How many the SDK left out. */
  readonly dropped: { readonly attributes: number; readonly events: number; readonly links: number }
  readonly resource: OpenTelemetryResource
  readonly scope: OpenTelemetryScope
}

/** The entity that produced telemetry: a program, on a machine, with an SDK. */
export interface OpenTelemetryResource {
  readonly attributes: JsonObject
  readonly droppedAttributes: number
  readonly schemaUrl: string | null
}

/** The library that recorded it. */
export interface OpenTelemetryScope extends OpenTelemetryResource {
  readonly name: string | null
  readonly version: string | null
}

/**
 * `browser`, `server`, `edge`, or the platform of another SDK (`python`, `go`). Browser and server of a Next app use
 * the same SDK name, so platform and runtime decide.
 */
export function serviceOf(sender: {
  readonly platform?: string | null
  readonly sdk?: string | null
  readonly runtime?: string | null
  readonly inBrowser?: boolean
}): string {
  if (sender.runtime === 'vercel-edge' || sender.runtime === 'edge') return 'edge'
  if (sender.platform === 'node') return 'server'
  if (sender.platform === 'javascript') return 'browser'
  if (sender.platform) return sender.platform
  // A streamed span has no platform: see `fromBrowser`.
  const family = /^sentry\.([a-z]+)(?:\.([a-z-]+))?/.exec(sender.sdk ?? '')
  if (family !== null && family[1] !== 'javascript') return family[1] ?? 'unknown'
  // A server span of one request also names the browser of its visitor.
  const side = oneSidedOf(family?.[2] ?? null)
  if (side !== null) return side ? 'browser' : 'server'
  if (sender.inBrowser) return 'browser'
  return family === null ? 'unknown' : 'server'
}

/** The name and the language of an SDK, from the attributes of a resource: `opentelemetry.nodejs`. */
export function openTelemetrySdk(resource: JsonObject): string {
  const name = text(resource['telemetry.sdk.name']) ?? 'opentelemetry'
  const language = text(resource['telemetry.sdk.language'])
  return language === null ? name : `${name}.${language}`
}

/** JavaScript SDKs that run only in the browser (true) or only on the server (false). All others may run on either. */
const ONE_SIDED: Readonly<Record<string, boolean>> = {
  browser: true,
  react: true,
  vue: true,
  angular: true,
  svelte: true,
  node: false,
  'aws-serverless': false,
}

const oneSidedOf = (name: string | null): boolean | null =>
  name !== null && Object.hasOwn(ONE_SIDED, name) ? (ONE_SIDED[name] ?? null) : null

/** Signals often name no platform, in an envelope that may name an SDK; `null` when several services are possible. */
export function serviceOfSignal(sender: {
  readonly platform: string | null
  readonly sdk: string | null
  readonly inBrowser: boolean | null
}): string | null {
  const side = /^sentry\.javascript\.([a-z-]+)/.exec(sender.sdk ?? '')?.[1] ?? null
  const inBrowser = oneSidedOf(side) ?? sender.inBrowser
  if (sender.platform === null && side !== null && inBrowser === null) return null
  const service = serviceOf({ ...sender, inBrowser: inBrowser === true })
  return service === 'unknown' ? null : service
}

/** Browser SDKs set `user_agent.original` on every span; servers only on outgoing requests, with their own (`node`). */
export function fromBrowser(spans: readonly { readonly attributes: Readonly<Record<string, unknown>> }[]): boolean {
  return spans.every(({ attributes }) => String(attributes['user_agent.original'] ?? '').startsWith('Mozilla/'))
}

/** Pageloads and navigations of the streamed lifecycle have a generic name; their path is an attribute. */
const GENERIC_NAMES = new Set(['Pageload', 'Navigation'])

/**
 * Streamed spans arrive children first, in containers of at most 1000, and late children (web vitals) long after their
 * segment: each span is converted separately, and one marked as a segment also becomes a segment.
 */
export function segmentsFromSpanItems(items: readonly SpanItem[]): {
  segments: readonly Segment[]
  spans: readonly SegmentSpan[]
} {
  const inBrowser = fromBrowser(items)
  const spans = items.map((item) => spanOf(item, inBrowser))
  const segments = spans.flatMap((span, index) => (span.isSegment ? [segmentOf(span, items[index])] : []))
  return { segments, spans }
}

function spanOf(item: SpanItem, inBrowser: boolean): SegmentSpan {
  const { attributes } = item
  return {
    traceId: item.traceId,
    spanId: item.spanId,
    parentSpanId: item.parentSpanId,
    segmentId: item.isSegment ? item.spanId : hex16(attributes['sentry.segment.id']),
    isSegment: item.isSegment,
    name: nameOf(item),
    op: text(attributes['sentry.op']),
    status: item.status,
    origin: text(attributes['sentry.origin']),
    service: serviceOf({
      sdk: text(attributes['sentry.sdk.name']),
      runtime: text(attributes['process.runtime.name']),
      inBrowser,
    }),
    startUs: item.startUs,
    endUs: Math.max(item.startUs, item.endUs),
    ...(item.isOpen && { isOpen: item.isOpen }),
    attributes,
    links: linksOf(item.links),
  }
}

function nameOf(item: SpanItem): string {
  const path = text(item.attributes['url.path'])
  if (item.isSegment && path !== null && (item.name === null || GENERIC_NAMES.has(item.name))) return path
  return item.name ?? text(item.attributes['sentry.op']) ?? '(unnamed)'
}

function segmentOf(span: SegmentSpan, item: SpanItem | undefined): Segment {
  const attributes = item?.attributes ?? {}
  return {
    ...commonFields(span),
    segmentId: span.spanId,
    lifecycle: 'stream',
    // Spans that browsers send outside a segment (web vitals) have the names without prefix.
    environment: text(attributes['sentry.environment']) ?? text(attributes.environment),
    release: text(attributes['sentry.release']) ?? text(attributes.release),
    sdk: text(attributes['sentry.sdk.name']),
    previousTrace: previousTrace(span.links),
  }
}

/** Converts a static transaction into one segment. Its own span is `contexts.trace`, which `spans` does not repeat. */
export function segmentFromTransaction(item: TransactionItem): { segment: Segment; spans: readonly SegmentSpan[] } {
  const service = serviceOf({ platform: item.platform, sdk: item.sdk, runtime: item.runtime })
  const name = item.name ?? item.op ?? '(unnamed)'
  const links = linksOf(item.links)
  const segment: Segment = {
    traceId: item.traceId,
    segmentId: item.spanId,
    parentSpanId: item.parentSpanId,
    name,
    op: item.op,
    status: item.status,
    startUs: item.startUs,
    endUs: Math.max(item.startUs, item.endUs),
    lifecycle: 'static',
    service,
    environment: item.environment,
    release: item.release,
    sdk: item.sdk,
    previousTrace: previousTrace(links),
  }
  // Literals without a spread: V8 builds them several times faster, and every span is read once by the digest.
  const own: SegmentSpan = {
    traceId: item.traceId,
    spanId: item.spanId,
    parentSpanId: item.parentSpanId,
    segmentId: item.spanId,
    isSegment: true,
    name,
    op: item.op,
    status: item.status,
    origin: item.origin,
    service,
    startUs: item.startUs,
    endUs: segment.endUs,
    attributes: { ...item.attributes, ...measured(item.measurements) },
    links,
  }
  const children = item.spans.map(
    (span): SegmentSpan => ({
      traceId: item.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId ?? item.spanId,
      segmentId: item.spanId,
      isSegment: false,
      name: span.description ?? span.op ?? '(unnamed)',
      op: span.op,
      status: span.status,
      origin: span.origin,
      service,
      startUs: span.startUs,
      // The duration is negative when the clock was set back while the span was open.
      endUs: Math.max(span.startUs, span.endUs),
      ...(span.isOpen && { isOpen: span.isOpen }),
      attributes: span.attributes,
      links: linksOf(span.links),
    }),
  )
  return { segment, spans: [own, ...children] }
}

/** The fields that a segment shares with its span. */
export const commonFields = (
  of: Omit<Segment, 'segmentId' | 'lifecycle' | 'environment' | 'release' | 'sdk' | 'previousTrace'>,
) => ({
  traceId: of.traceId,
  parentSpanId: of.parentSpanId,
  name: of.name,
  op: of.op,
  status: of.status,
  service: of.service,
  startUs: of.startUs,
  endUs: of.endUs,
})

/** Returns measurements as attributes: `measurements: { lcp: { value: 208, … } }` becomes `measurements.lcp`. */
function measured(measurements: TransactionItem['measurements']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(measurements).map(([name, value]) => [`measurements.${name}`, value]))
}

const previousTrace = (links: readonly SpanLink[]): string | undefined =>
  links.find(({ type }) => type === 'previous_trace')?.traceId

/** Reads links of both lifecycles: attributes are plain values in one and typed values in the other. */
function linksOf(links: readonly JsonObject[]): readonly SpanLink[] {
  return links.flatMap((link) => {
    const traceId = hex32(link.trace_id)
    const spanId = hex16(link.span_id)
    if (traceId === null || spanId === null) return []
    const attributes = isObject(link.attributes) ? valuesOf(link.attributes) : {}
    return [{ traceId, spanId, type: text(attributes['sentry.link.type']) }]
  })
}
