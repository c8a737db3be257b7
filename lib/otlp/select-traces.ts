import type { JsonObject } from '../protocol/json-value'
import { decodeRequest, type ExportRequest, requestType } from './decode'
import { ENTRY_LISTS } from './entries'
import type { OtlpEncoding, OtlpSignal } from './signals'
import { objectsOf, traceIdOf } from './values'

/**
 * The request with only the spans or log records of some traces, in the same encoding.
 * @returns `null` for metrics, whose data points belong to no trace, and for a body that cannot be decoded
 */
export function selectTraces(
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  bytes: Uint8Array,
  selects: (traceId: string | null) => boolean,
): Uint8Array | null {
  if (signal === 'metrics') return null
  const request = decodeRequest(signal, encoding, bytes)
  if (!request.ok) return null
  const selected = selectEntries(signal, request.value, ({ traceId }) => selects(traceIdOf(traceId)))
  if (encoding === 'json') return new TextEncoder().encode(JSON.stringify(selected))
  return requestType(signal).encode(selected).finish()
}

/** A decoded request with only some of its spans, log records or metrics. Resources and scopes stay, also without any. */
export function selectEntries(
  signal: OtlpSignal,
  request: ExportRequest,
  selects: (entry: JsonObject, resource: JsonObject) => boolean,
): ExportRequest {
  const [ofResource, ofScope, entries] = ENTRY_LISTS[signal]
  return {
    ...request,
    [ofResource]: objectsOf(request[ofResource]).map((resource) => ({
      ...resource,
      [ofScope]: objectsOf(resource[ofScope]).map((scope) => ({
        ...scope,
        [entries]: objectsOf(scope[entries]).filter((entry) => selects(entry, resource)),
      })),
    })),
  }
}
