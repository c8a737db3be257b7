import { isStamp, requestStamp, STAMP_HEADER } from '../protocol/request'

/** The number of remembered traces: those that were stamped last. */
export const REMEMBERED_TRACES = 2000

interface StampedTraces {
  readonly learn: (traceId: string, stamp: string) => void
  /** Returns the stamp that all traces of an envelope share; `null` when one has none or a different one. */
  readonly stampOf: (envelope: StampedEnvelope) => string | null
}

/** Remembers the stamp of each trace. A trace with two different stamps belongs to neither. */
export function stampedTraces(): StampedTraces {
  const stamps = new Map<string, string | null>()
  return {
    learn: (traceId, stamp) => {
      const known = stamps.get(traceId)
      // Deleted and set again, so that the first entry is the trace that was stamped longest ago.
      stamps.delete(traceId)
      stamps.set(traceId, known === undefined || known === stamp ? stamp : null)
      const oldest = stamps.keys().next()
      if (stamps.size > REMEMBERED_TRACES && !oldest.done) stamps.delete(oldest.value)
    },
    stampOf: (envelope) => {
      if (stamps.size === 0) return null
      const traces = tracesOf(envelope)
      const [first, ...others] = new Set([...traces].map((traceId) => stamps.get(traceId) ?? null))
      return others.length === 0 ? (first ?? null) : null
    },
  }
}

/** Reads the items, not the header: an envelope of logs holds many traces, and its header names none. */
const tracesOf = ([, items]: StampedEnvelope): ReadonlySet<string> => new Set(items.flatMap(tracesOfItem))

function tracesOfItem(item: StampedItem): readonly string[] {
  const payload: unknown = item[1]
  if (!isObject(payload)) return []
  if (Array.isArray(payload.items)) return payload.items.flatMap((one: unknown) => idOf(one))
  const contexts = isObject(payload.contexts) ? payload.contexts : {}
  return [...idOf(contexts.trace), ...idOf(payload)]
}

const idOf = (value: unknown): readonly string[] =>
  isObject(value) && typeof value.trace_id === 'string' ? [value.trace_id] : []

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/**
 * From the request that began a trace, or in which one of its events was captured. The SDK keeps the headers of each
 * request next to its spans and never sends them.
 */
export function learnStamps(sdk: StampedSdk, traces: StampedTraces): void {
  const client = sdk.getClient()
  client?.on('spanStart', (span) => {
    if (sdk.getRootSpan(span) !== span) return
    learn(traces, span.spanContext().traceId, sdk.getIsolationScope().getScopeData().sdkProcessingMetadata)
  })
  // An event processor runs too early: there an event outside of a span has no trace yet.
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
  const given = requestStamp(headers.cookie ?? null, headers[STAMP_HEADER] ?? null)
  if (given !== null && isStamp(given)) traces.learn(traceId, given)
}

/* The part of a Sentry SDK that `learnStamps` uses. Every version of every server SDK has it. */

export interface StampedSdk {
  getClient(): StampedClient | undefined
  getRootSpan(span: StampedSpan): unknown
  getIsolationScope(): { getScopeData(): { readonly sdkProcessingMetadata: object } }
}

export interface StampedClient {
  on(hook: 'spanStart', callback: (span: StampedSpan) => void): unknown
  on(hook: 'beforeSendEvent', callback: (event: StampedEvent) => void): unknown
}

interface StampedSpan {
  spanContext(): { readonly traceId: string }
}

interface StampedEvent {
  readonly contexts?: { readonly trace?: { readonly trace_id: string } | undefined } | undefined
  readonly sdkProcessingMetadata?: object | undefined
}

export type StampedEnvelope = readonly [header: unknown, items: readonly StampedItem[]]
type StampedItem = readonly [header: unknown, payload: unknown]
