import type { Endpoint } from '../protocol/request'

/* Kept apart from the decoder, whose protobuf library loads with the first request of OTLP. */

/** The signals of OTLP, as the last part of an endpoint's path names them. */
export const OTLP_SIGNALS = ['traces', 'logs', 'metrics'] as const
export type OtlpSignal = (typeof OTLP_SIGNALS)[number]

export type OtlpEncoding = 'json' | 'protobuf'

const JSON_TYPE = 'application/json'
const PROTOBUF_TYPE = 'application/x-protobuf'

/** Reads a Content-Type; `null` for one that OTLP/HTTP does not define (OTLP specification, "OTLP/HTTP Request"). */
export function encodingOf(contentType: string | null): OtlpEncoding | null {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type === JSON_TYPE) return 'json'
  return type === PROTOBUF_TYPE ? 'protobuf' : null
}

export const contentTypeOf = (encoding: OtlpEncoding): string => (encoding === 'json' ? JSON_TYPE : PROTOBUF_TYPE)

/** The signal that an endpoint receives; `null` when it is not one of OTLP. */
export function signalOf(endpoint: Endpoint): OtlpSignal | null {
  if (endpoint === 'otlp_traces') return 'traces'
  if (endpoint === 'otlp_logs') return 'logs'
  return endpoint === 'otlp_metrics' ? 'metrics' : null
}

/** The data category that entries of a signal count as. */
export const CATEGORY_OF_SIGNAL = { traces: 'span', logs: 'log_item', metrics: 'trace_metric' } as const
