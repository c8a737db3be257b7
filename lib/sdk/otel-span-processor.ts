import type { Attributes } from '@opentelemetry/api'
import type { ReadableSpan, Span, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-web'
import { FINAL_TIMEOUT_MS, HEARTBEAT_MS, IDLE_TIMEOUT_MS, RECORDED_SPANS } from '../contract/values'

/** Resource attribute: the spans of this trace that were dropped since the last export that had this attribute. */
export const DROPPED_SPANS = 'waystation.dropped_spans'

/** Runs `work` after `ms`; returns a function that cancels it. */
type Schedule = (work: () => void, ms: number) => () => void

export interface SpanRecorderOptions {
  readonly exporter: SpanExporter
  /** Resource attributes in addition to those of the tracer provider. */
  readonly resource: Attributes
  readonly schedule: Schedule
  /** Called for spans that did not arrive, and for dropped ones that no export could report. */
  readonly onLoss: (reason: string) => void
}

interface SpanRecorder extends SpanProcessor {
  /** Exports every ended span now: the page may end. */
  readonly flush: () => void
}

/** The limit of spans holds for a trace while it is remembered: the traces that began last. */
export const REMEMBERED_TRACES = 200

interface Trace {
  readonly traceId: string
  admitted: number
  /** Spans that were not open at the final time-out. */
  open: number
  /** Not yet reported. */
  dropped: number
  /** The number of final time-outs so far. */
  round: number
  cancelFinal: (() => void) | null
}

interface Admission {
  readonly trace: Trace
  readonly round: number
}

/**
 * The span recorder of the runtime contract, for spans of OpenTelemetry. Keeps the first 1000 spans of a trace that
 * start, because parents start before their children. Exports ended spans when no span was open for 1 s, every 5 s while
 * one is, 30 s after the trace began, and on `flush`. A span that is open after those 30 s is exported when it ends.
 */
export function createSpanRecorder({ exporter, resource, schedule, onLoss }: SpanRecorderOptions): SpanRecorder {
  const traces = new Map<string, Trace>()
  const admissions = new WeakMap<object, Admission>()
  let ended: ReadableSpan[] = []
  let open = 0
  let cancelIdle: (() => void) | null = null
  let cancelBeat: (() => void) | null = null
  /** One object, because the exporter groups spans by it. */
  let plainResource: ReadableSpan['resource'] | null = null

  function traceOf(traceId: string): Trace {
    const known = traces.get(traceId)
    if (known !== undefined) return known
    const [oldest] = traces.values()
    if (traces.size >= REMEMBERED_TRACES && oldest !== undefined) forget(oldest)
    const trace: Trace = { traceId, admitted: 0, open: 0, dropped: 0, round: 0, cancelFinal: null }
    traces.set(traceId, trace)
    return trace
  }

  function forget(trace: Trace): void {
    closeRound(trace)
    if (trace.dropped > 0) flush()
    traces.delete(trace.traceId)
  }

  /** From now on, the open spans of the trace are exported when they end, and delay nothing. */
  function closeRound(trace: Trace): void {
    trace.cancelFinal?.()
    trace.cancelFinal = null
    trace.round += 1
    open -= trace.open
    trace.open = 0
  }

  function onStart(span: Span): void {
    if (!isSampled(span)) return
    const trace = traceOf(span.spanContext().traceId)
    if (trace.admitted >= RECORDED_SPANS) {
      trace.dropped += 1
      if (open === 0) waitForIdle()
      return
    }
    trace.admitted += 1
    trace.open += 1
    open += 1
    admissions.set(span, { trace, round: trace.round })
    cancelIdle?.()
    cancelIdle = null
    beat()
    trace.cancelFinal ??= schedule(() => {
      closeRound(trace)
      flush()
    }, FINAL_TIMEOUT_MS)
  }

  function onEnd(span: ReadableSpan): void {
    const admission = admissions.get(span)
    if (admission === undefined) return
    const { trace, round } = admission
    if (round < trace.round) {
      send([span])
      return
    }
    trace.open -= 1
    open -= 1
    ended.push(span)
    if (open === 0) waitForIdle()
  }

  function waitForIdle(): void {
    cancelIdle?.()
    cancelIdle = schedule(flush, IDLE_TIMEOUT_MS)
  }

  function beat(): void {
    cancelBeat ??= schedule(() => {
      cancelBeat = null
      const carriers = carriersOf(ended)
      const due = ended.filter((span) => !carriers.has(span))
      ended = [...carriers]
      send(due)
      if (open > 0 || ended.length > 0) beat()
    }, HEARTBEAT_MS)
  }

  /** Of each full trace without an open span the last span, which reports how many more are dropped until it leaves. */
  function carriersOf(spans: readonly ReadableSpan[]): ReadonlySet<ReadableSpan> {
    const last = new Map<Trace, ReadableSpan>()
    for (const span of spans) {
      const trace = admissions.get(span)?.trace
      if (trace !== undefined && trace.admitted >= RECORDED_SPANS && trace.open === 0) last.set(trace, span)
    }
    return new Set(last.values())
  }

  function flush(): void {
    for (const cancel of [cancelIdle, cancelBeat]) cancel?.()
    cancelIdle = null
    cancelBeat = null
    const due = ended
    ended = []
    send(due)
    for (const trace of traces.values()) {
      if (trace.dropped === 0 || trace.open > 0) continue
      onLoss(`${trace.dropped} spans of trace ${trace.traceId} over its limit of ${RECORDED_SPANS} were dropped`)
      trace.dropped = 0
    }
    if (open > 0) beat()
  }

  /** Each request has at most as many spans as a container of the SDK. */
  function send(spans: readonly ReadableSpan[]): void {
    const resources = new Map<Trace, ReadableSpan['resource']>()
    const sent = spans.map((span) => withResource(span, resources))
    for (let at = 0; at < sent.length; at += RECORDED_SPANS) {
      const batch = sent.slice(at, at + RECORDED_SPANS)
      exporter.export(batch, ({ error }) => {
        if (error !== undefined) onLoss(`${batch.length} spans did not arrive: ${error.message}`)
      })
    }
  }

  function withResource(span: ReadableSpan, resources: Map<Trace, ReadableSpan['resource']>): ReadableSpan {
    const trace = admissions.get(span)?.trace
    if (trace !== undefined && trace.dropped > 0) {
      resources.set(trace, extended(span.resource, { ...resource, [DROPPED_SPANS]: trace.dropped }))
      trace.dropped = 0
    }
    plainResource ??= extended(span.resource, resource)
    const counted = trace === undefined ? undefined : resources.get(trace)
    return derived(span, { resource: { value: counted ?? plainResource } })
  }

  return {
    onStart,
    onEnd,
    flush,
    forceFlush: async () => {
      flush()
      await exporter.forceFlush?.()
    },
    shutdown: async () => {
      flush()
      for (const trace of traces.values()) trace.cancelFinal?.()
      cancelBeat?.()
      await exporter.shutdown()
    },
  }
}

const SAMPLED = 1

const isSampled = (span: Span): boolean => (span.spanContext().traceFlags & SAMPLED) !== 0

const extended = (base: ReadableSpan['resource'], attributes: Attributes): ReadableSpan['resource'] =>
  derived(base, { attributes: { value: { ...base.attributes, ...attributes } } })

/** An object with the same prototype chain: spans and resources have getters and methods, which a spread would lose. */
const derived = <Base extends object>(base: Base, changes: PropertyDescriptorMap): Base => Object.create(base, changes)
