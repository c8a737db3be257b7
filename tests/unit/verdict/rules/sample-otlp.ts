import type { OtlpSignal } from '../../../../lib/otlp/signals'
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

const START_NANOS = '1795000000000000000'
const END_NANOS = '1795000000050000000'

interface SampleSpan {
  readonly spanId: string
  readonly attributes?: Json
  readonly events?: readonly Json[]
}

export const tracesOf = (spans: readonly SampleSpan[], resource: Json = CHECKOUT): Came =>
  requestOf(
    'traces',
    resource,
    spans.map(({ spanId, attributes = {}, events = [] }) => ({
      traceId: 'a'.repeat(32),
      spanId: spanId.padStart(16, '0'),
      name: `span ${spanId}`,
      kind: 2,
      startTimeUnixNano: START_NANOS,
      endTimeUnixNano: END_NANOS,
      attributes: attributesOf(attributes),
      events,
    })),
  )

/** A log per list of attributes. */
export const logsOf = (...logs: readonly Json[]): Came =>
  requestOf(
    'logs',
    CHECKOUT,
    logs.map((attributes) => ({
      timeUnixNano: START_NANOS,
      body: { stringValue: 'hello' },
      attributes: attributesOf(attributes),
    })),
  )

/** A metric with one point. */
export const metricOf = (name: string, attributes: Json): Came => {
  const dataPoints = [{ timeUnixNano: START_NANOS, attributes: attributesOf(attributes), asDouble: 1 }]
  return requestOf('metrics', CHECKOUT, [{ name, gauge: { dataPoints } }])
}
