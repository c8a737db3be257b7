import type { OtlpSignal } from '../../../../lib/otlp/decode'
import type { Came } from './sample-evidence'

type Json = Readonly<Record<string, unknown>>

/** An attribute list of OTLP from plain values; an integer is sent as its digits. */
const attributesOf = (attributes: Json) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValueOf(value) }))

function anyValueOf(value: unknown): Json {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValueOf) } }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** A request with one resource and one scope, as `evidenceOf` takes it. */
function requestOf(signal: OtlpSignal, resource: Json, entries: readonly Json[]): Came {
  const [ofResource, ofScope, list] = {
    traces: ['resourceSpans', 'scopeSpans', 'spans'],
    logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
    metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
  }[signal] as [string, string, string]
  const body = {
    [ofResource]: [{ resource: { attributes: attributesOf(resource) }, [ofScope]: [{ scope: {}, [list]: entries }] }],
  }
  return { body: JSON.stringify(body), endpoint: `otlp_${signal}`, contentType: 'application/json' }
}

/** The resource of most samples. */
export const CHECKOUT = { 'service.name': 'checkout', 'telemetry.sdk.name': 'opentelemetry' } as const

/** Start of the first span, in ms since the epoch. */
export const BEGIN_MS = 1_795_000_000_000

export interface SampleSpan {
  readonly spanId: string
  readonly parentSpanId?: string
  readonly traceId?: string
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind?: number
  readonly atMs?: number
  readonly tookMs?: number
  readonly attributes?: Json
  readonly events?: readonly Json[]
}

const hexId = (id: string): string => id.padStart(16, '0')

export const tracesOf = (spans: readonly SampleSpan[], resource: Json = CHECKOUT): Came =>
  requestOf(
    'traces',
    resource,
    spans.map(({ spanId, parentSpanId, traceId = 'a'.repeat(32), kind = 2, atMs = 0, tookMs = 50, ...rest }) => ({
      traceId,
      spanId: hexId(spanId),
      ...(parentSpanId !== undefined && { parentSpanId: hexId(parentSpanId) }),
      name: `span ${spanId}`,
      kind,
      startTimeUnixNano: nanos(atMs),
      endTimeUnixNano: nanos(atMs + tookMs),
      attributes: attributesOf(rest.attributes ?? {}),
      events: rest.events ?? [],
    })),
  )

const nanos = (ms: number): string => `${BigInt(BEGIN_MS) * 1_000_000n + BigInt(Math.round(ms * 1000)) * 1000n}`

export interface SampleLog {
  readonly severity?: number
  readonly atMs?: number
  readonly attributes?: Json
}

export const logsOf = (logs: readonly SampleLog[], resource: Json = CHECKOUT): Came =>
  requestOf(
    'logs',
    resource,
    logs.map(({ severity, atMs = 0, attributes = {} }) => ({
      timeUnixNano: nanos(atMs),
      ...(severity !== undefined && { severityNumber: severity }),
      body: { stringValue: 'hello' },
      attributes: attributesOf(attributes),
    })),
  )

export interface SampleMetric {
  readonly name: string
  readonly unit?: string
  readonly points?: readonly Json[]
  /** Bounds of its buckets: makes it a histogram. */
  readonly bounds?: readonly number[]
  readonly atMs?: number
}

export const metricsOf = (metrics: readonly SampleMetric[], resource: Json = CHECKOUT): Came =>
  requestOf(
    'metrics',
    resource,
    metrics.map(({ name, unit, points = [{}], bounds, atMs = 0 }) => {
      const dataPoints = points.map((attributes) => ({
        timeUnixNano: nanos(atMs),
        attributes: attributesOf(attributes),
        ...(bounds === undefined
          ? { asDouble: 1 }
          : { count: '1', sum: 1, explicitBounds: bounds, bucketCounts: [...bounds, 0].map(() => '1') }),
      }))
      return {
        name,
        ...(unit !== undefined && { unit }),
        [bounds === undefined ? 'gauge' : 'histogram']: { dataPoints },
      }
    }),
  )
