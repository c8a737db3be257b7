import { isStamp, STAMP_HEADER, stampGiven } from '../protocol/request'
import type { StampedSdk } from './stamped-sdk'
import type { StampedTraces } from './stamped-traces'

/**
 * Ties what the server sends to who caused it: a trace has the stamp of the request that it began with, or in which an
 * event of it was captured. Each request's headers stand beside its spans in the SDK, and are never sent.
 * @param sdk has been started
 */
export function learnStamps(sdk: StampedSdk, traces: StampedTraces): void {
  const client = sdk.getClient()
  client?.on('spanStart', (span) => {
    if (sdk.getRootSpan(span) !== span) return
    learn(traces, span.spanContext().traceId, sdk.getIsolationScope().getScopeData().sdkProcessingMetadata)
  })
  // An event processor comes too early: an event outside of any span has no trace yet.
  client?.on('beforeSendEvent', ({ contexts, sdkProcessingMetadata }) => {
    if (contexts?.trace !== undefined) learn(traces, contexts.trace.trace_id, sdkProcessingMetadata)
  })
}

interface Metadata {
  readonly normalizedRequest?: { readonly headers?: Readonly<Record<string, string | undefined>> }
}

function learn(traces: StampedTraces, traceId: string, metadata: Metadata | undefined): void {
  const headers = metadata?.normalizedRequest?.headers
  if (headers === undefined) return
  const given = stampGiven(headers.cookie ?? null, headers[STAMP_HEADER] ?? null)
  if (given !== null && isStamp(given)) traces.learn(traceId, given)
}
