import type { JsonObject } from '../protocol/json-value'
import type { OpenTelemetryResource, OpenTelemetryScope } from '../protocol/trace/segment'
import type { ExportRequest } from './decode'
import { resourceOf, type Sender, scopeOf, senderOf } from './sender'
import type { OtlpSignal } from './signals'
import { objectsOf } from './values'

/** The lists that contain the entries of a signal, from the outermost inwards. */
export const ENTRY_LISTS = {
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
} as const

/** Spans, log records or metrics of a request in its order, without reading resources and scopes. */
export function* entriesOf(signal: OtlpSignal, request: ExportRequest): Generator<JsonObject> {
  const [resources, scopes, entries] = ENTRY_LISTS[signal]
  for (const ofResource of objectsOf(request[resources]))
    for (const ofScope of objectsOf(ofResource[scopes])) yield* objectsOf(ofScope[entries])
}

export interface EntrySource {
  readonly resource: OpenTelemetryResource
  readonly scope: OpenTelemetryScope
  readonly sender: Sender
}

/** Calls `visit` for each entry of a request in its order; resource and scope are read once for all their entries. */
export function visitEntries(
  signal: OtlpSignal,
  request: ExportRequest,
  visit: (entry: JsonObject, source: EntrySource) => void,
): void {
  const [resources, scopes, entries] = ENTRY_LISTS[signal]
  for (const ofResource of objectsOf(request[resources])) {
    const resource = resourceOf(ofResource)
    const sender = senderOf(resource)
    for (const ofScope of objectsOf(ofResource[scopes])) {
      const source = { resource, scope: scopeOf(ofScope), sender }
      for (const entry of objectsOf(ofScope[entries])) visit(entry, source)
    }
  }
}
