import { requestType } from '../../lib/otlp/decode'

/** The batch size of OpenTelemetry's span processors. */
export const OTLP_SPANS = 512
const SPANS_PER_TRACE = 16

export interface OtlpRequest {
  readonly body: Buffer
  /** Ids of traces and spans, as bytes of the body. */
  readonly ids: readonly string[]
}

const attribute = (key: string, value: object) => ({ key, value })
const text = (stringValue: string) => ({ stringValue })

/** A protobuf request of a Node server: 32 requests with 16 spans each. All ids are printable text of their length. */
export function otlpRequest(startMs: number): OtlpRequest {
  const ids: string[] = []
  const newId = (prefix: string, length: number): Buffer => {
    const id = `${prefix}${ids.length}`.padEnd(length, '-')
    ids.push(id)
    return Buffer.from(id, 'latin1')
  }
  const spans: object[] = []
  while (spans.length < OTLP_SPANS) {
    const traceId = newId('trace', 16)
    const rootId = newId('s', 8)
    const startUs = BigInt(startMs) * 1000n + BigInt(spans.length)
    spans.push(spanOf({ traceId, spanId: rootId, name: 'GET /cart/:id', kind: 2, flags: 0x101, startUs }))
    for (let child = 1; child < SPANS_PER_TRACE; child += 1) {
      const ownIds = { traceId, spanId: newId('s', 8), parentSpanId: rootId }
      spans.push(spanOf({ ...ownIds, name: 'SELECT cart', kind: 3, flags: 0x101, startUs: startUs + BigInt(child) }))
    }
  }
  const resource = {
    attributes: [
      attribute('service.name', text('shop')),
      attribute('service.version', text('4.7.1')),
      attribute('deployment.environment.name', text('production')),
      attribute('telemetry.sdk.name', text('opentelemetry')),
      attribute('telemetry.sdk.language', text('nodejs')),
      attribute('telemetry.sdk.version', text('2.12.0')),
    ],
  }
  const scope = { name: '@opentelemetry/instrumentation-http', version: '0.223.0' }
  const type = requestType('traces')
  const message = type.fromObject({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] })
  return { body: Buffer.from(type.encode(message).finish()), ids }
}

interface SpanFacts {
  readonly traceId: Buffer
  readonly spanId: Buffer
  readonly parentSpanId?: Buffer
  readonly name: string
  readonly kind: number
  readonly flags: number
  readonly startUs: bigint
}

function spanOf({ startUs, ...facts }: SpanFacts): object {
  return {
    ...facts,
    startTimeUnixNano: (startUs * 1000n).toString(),
    endTimeUnixNano: ((startUs + 1500n) * 1000n).toString(),
    attributes: [
      attribute('http.request.method', text('GET')),
      attribute('url.path', text('/cart/17')),
      attribute('server.address', text('shop.example')),
      attribute('server.port', { intValue: '443' }),
      attribute('http.response.status_code', { intValue: '200' }),
      attribute('network.protocol.version', text('1.1')),
    ],
    status: {},
  }
}
