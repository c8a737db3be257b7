import protobuf from 'protobufjs/light.js'
import schema from '../../../lib/otlp/schema.json'
import type { OtlpSignal } from '../../../lib/otlp/signals'

const root = protobuf.Root.fromJSON(schema)
const REQUEST = {
  traces: 'trace.v1.ExportTraceServiceRequest',
  logs: 'logs.v1.ExportLogsServiceRequest',
  metrics: 'metrics.v1.ExportMetricsServiceRequest',
} as const

/** A message type of the schema by its full name after `opentelemetry.proto.`. */
export const messageType = (name: string): protobuf.Type => root.lookupType(`opentelemetry.proto.${name}`)

/** The type of a signal's export request. */
export const requestType = (signal: OtlpSignal): protobuf.Type => messageType(`collector.${REQUEST[signal]}`)

/** Names of all message types of the schema, after `opentelemetry.proto.`. */
export function messageNames(): readonly string[] {
  const found: string[] = []
  const visit = (at: protobuf.NamespaceBase): void => {
    for (const one of at.nestedArray) {
      if (one instanceof protobuf.Type) found.push(one.fullName.replace(/^\.opentelemetry\.proto\./, ''))
      if (one instanceof protobuf.Namespace) visit(one)
    }
  }
  visit(root)
  return found
}

const ID_FIELDS = new Set(['traceId', 'spanId', 'parentSpanId'])

/** OTLP/JSON writes ids as hex; protobuf.js reads text as base64. */
export function withBinaryIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBinaryIds)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      ID_FIELDS.has(key) && typeof inner === 'string' ? Buffer.from(inner, 'hex') : withBinaryIds(inner),
    ]),
  )
}

/** Encodes a request that is written as OTLP/JSON. */
export function encodeRequest(signal: OtlpSignal, encoding: 'json' | 'protobuf', request: object): Uint8Array {
  if (encoding === 'json') return new TextEncoder().encode(JSON.stringify(request))
  const type = requestType(signal)
  return type.encode(type.fromObject(withBinaryIds(request) as object)).finish()
}

export const TRACE_ID = '5b8efff798038103d269b633813fc60c'
export const SPAN_ID = 'eee19b7ec3c1b174'
export const PARENT_ID = 'eee19b7ec3c1b173'

export const textAttribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })

export const RESOURCE = {
  attributes: [
    textAttribute('service.name', 'checkout'),
    textAttribute('service.version', '1.2.3'),
    textAttribute('deployment.environment.name', 'staging'),
    textAttribute('telemetry.sdk.name', 'opentelemetry'),
    textAttribute('telemetry.sdk.language', 'nodejs'),
    textAttribute('telemetry.sdk.version', '2.12.0'),
  ],
}

/** A request with these spans of one resource and one scope. */
export const tracesRequest = (...spans: readonly object[]) => ({
  resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ scope: { name: 'my.library', version: '0.1' }, spans }] }],
})

export const logsRequest = (...logRecords: readonly object[]) => ({
  resourceLogs: [{ resource: RESOURCE, scopeLogs: [{ scope: { name: 'my.library' }, logRecords }] }],
})

export const metricsRequest = (...metrics: readonly object[]) => ({
  resourceMetrics: [{ resource: RESOURCE, scopeMetrics: [{ scope: { name: 'my.library' }, metrics }] }],
})

/** The required fields of a span. */
export const SPAN = {
  traceId: TRACE_ID,
  spanId: SPAN_ID,
  name: 'GET /orders',
  kind: 2,
  startTimeUnixNano: '1544712660000000123',
  endTimeUnixNano: '1544712661000000456',
}
