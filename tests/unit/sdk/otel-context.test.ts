import { context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api'
import { type ReadableSpan, WebTracerProvider } from '@opentelemetry/sdk-trace-web'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ForeignSpan, SentryContextManager } from '../../../lib/sdk/otel-context'

const TRACE_ID = '0123456789abcdef0123456789abcdef'

const sentrySpan = (spanId: string, traceFlags = 1): ForeignSpan => ({
  spanContext: () => ({ traceId: TRACE_ID, spanId, traceFlags }),
})
const PAGELOAD = sentrySpan('1111111111111111')
const CLICK = sentrySpan('2222222222222222')

let active: ForeignSpan | undefined
let ended: ReadableSpan[]
/** Tests of one worker share the globals of OpenTelemetry, and an SDK of another file may hold them. */
function releaseGlobals(): void {
  trace.disable()
  context.disable()
}
beforeEach(() => {
  releaseGlobals()
  active = undefined
  ended = []
  const recorder = {
    onStart: () => undefined,
    onEnd: (span: ReadableSpan) => void ended.push(span),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  }
  const provider = new WebTracerProvider({ spanProcessors: [recorder] })
  provider.register({ contextManager: new SentryContextManager(() => active), propagator: null })
})
afterEach(releaseGlobals)

const tracer = () => trace.getTracer('test')
const during = <Value>(span: ForeignSpan, work: () => Value): Value => {
  const before = active
  active = span
  try {
    return work()
  } finally {
    active = before
  }
}
/** Trace id and parent of a span that was made with the plain API. */
function parentOf(span: Span): readonly [string, string | undefined] {
  span.end()
  return [span.spanContext().traceId, ended.at(-1)?.parentSpanContext?.spanId]
}
const make = () => parentOf(tracer().startSpan('made'))

describe('a span of OpenTelemetry', () => {
  it('is a child of the active Sentry span, in its trace', () => {
    active = PAGELOAD
    expect(make()).toEqual([TRACE_ID, '1111111111111111'])
  })

  it('begins its own trace without an active Sentry span', () => {
    const [traceId, parent] = make()
    expect(traceId).not.toBe(TRACE_ID)
    expect(parent).toBeUndefined()
  })

  it('begins its own trace when it is started as a root', () => {
    active = PAGELOAD
    const [traceId, parent] = parentOf(tracer().startSpan('made', { root: true }))
    expect([traceId === TRACE_ID, parent]).toEqual([false, undefined])
  })

  it('is not recorded when Sentry does not sample the trace', () => {
    active = sentrySpan('3333333333333333', 0)
    const span = tracer().startSpan('made')
    expect([span.isRecording(), span.spanContext().traceId]).toEqual([false, TRACE_ID])
  })

  // ● pageload (Sentry)
  //   └─ outer
  //      └─ made
  it('is a child of the active span of OpenTelemetry', () => {
    active = PAGELOAD
    tracer().startActiveSpan('outer', (outer) => {
      expect(make()).toEqual([TRACE_ID, outer.spanContext().spanId])
      expect(parentOf(outer)).toEqual([TRACE_ID, '1111111111111111'])
    })
    expect(make()).toEqual([TRACE_ID, '1111111111111111'])
  })

  // ● pageload (Sentry)
  //   ├─ outer
  //   │  └─ made, after the click
  //   └─ click (Sentry)
  //      └─ made, during the click
  it('is a child of a Sentry span that began inside the active span of OpenTelemetry', () => {
    active = PAGELOAD
    tracer().startActiveSpan('outer', (outer) => {
      expect(during(CLICK, make)).toEqual([TRACE_ID, '2222222222222222'])
      expect(make()).toEqual([TRACE_ID, outer.spanContext().spanId])
    })
  })

  it('keeps its parent when the Sentry span ends first', () => {
    active = PAGELOAD
    tracer().startActiveSpan('outer', (outer) => {
      active = undefined
      expect(make()).toEqual([TRACE_ID, outer.spanContext().spanId])
    })
  })

  it('has the parent of a bound function, also when another Sentry span is active by then', () => {
    active = PAGELOAD
    const outer = tracer().startSpan('outer')
    const later = context.bind(trace.setSpan(context.active(), outer), make)
    active = CLICK
    expect(later()).toEqual([TRACE_ID, outer.spanContext().spanId])
  })

  it('sees the values of its context', () => {
    active = PAGELOAD
    const key = Symbol('tenant')
    context.with(ROOT_CONTEXT.setValue(key, 'acme'), () => expect(context.active().getValue(key)).toBe('acme'))
  })
})
