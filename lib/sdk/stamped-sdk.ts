/* What learns stamps asks of an SDK: as much as every namespace of Sentry's has on a server, whatever its version. */

export interface StampedSdk {
  getClient(): StampedClient | undefined
  getRootSpan(span: StampedSpan): unknown
  getIsolationScope(): { getScopeData(): { readonly sdkProcessingMetadata: object } }
}

export interface StampedClient {
  on(hook: 'spanStart', callback: (span: StampedSpan) => void): unknown
  on(hook: 'beforeSendEvent', callback: (event: StampedEvent) => void): unknown
}

export interface StampedSpan {
  spanContext(): { readonly traceId: string }
}

export interface StampedEvent {
  readonly contexts?: { readonly trace?: { readonly trace_id: string } | undefined } | undefined
  readonly sdkProcessingMetadata?: object | undefined
}

export type StampedEnvelope = readonly [header: unknown, items: readonly StampedItem[]]
export type StampedItem = readonly [header: unknown, payload: unknown]
