import { type Context, ROOT_CONTEXT, SpanKind, TraceFlags, type Tracer, trace } from '@opentelemetry/api'
import { type ReadableSpan, SamplingDecision, type SpanExporter, WebTracerProvider } from '@opentelemetry/sdk-trace-web'
import { describe, expect, it } from 'vitest'
import { createSpanRecorder, DROPPED_SPANS, REMEMBERED_TRACES } from '../../../lib/sdk/otel-span-processor'
import { manualClock } from '../tunnel/manual-clock'

const TRACE_ID = '0123456789abcdef0123456789abcdef'

/** A page with the recorder, timers that the test advances, and an exporter that keeps its requests. */
function page(options: { fails?: string; sampled?: boolean } = {}) {
  const clock = manualClock()
  const requests: ReadableSpan[][] = []
  const losses: string[] = []
  let shutdowns = 0
  const exporter: SpanExporter = {
    export: (spans, done) => {
      requests.push(spans)
      done(options.fails === undefined ? { code: 0 } : { code: 1, error: new Error(options.fails) })
    },
    shutdown: async () => {
      shutdowns += 1
    },
  }
  const recorder = createSpanRecorder({
    exporter,
    resource: { 'service.name': 'browser' },
    schedule: clock.schedule,
    onLoss: (reason) => losses.push(reason),
  })
  const provider = new WebTracerProvider({
    spanProcessors: [recorder],
    ...(options.sampled === false && { sampler: { shouldSample: () => ({ decision: SamplingDecision.RECORD }) } }),
  })
  const tracer = provider.getTracer('test')
  return {
    clock,
    recorder,
    provider,
    losses,
    requests,
    shutdowns: () => shutdowns,
    start: (name: string, traceId = TRACE_ID) => tracer.startSpan(name, {}, insideOf(traceId)),
    burst: (count: number, traceId = TRACE_ID) => burst(tracer, count, traceId),
    /** The names in each request. */
    names: () => requests.map((spans) => spans.map(({ name }) => name)),
    sizes: () => requests.map(({ length }) => length),
    dropped: () => requests.map((spans) => [...new Set(spans.map(droppedOf))]),
  }
}

const droppedOf = ({ resource }: ReadableSpan) => resource.attributes[DROPPED_SPANS]

const insideOf = (traceId: string): Context =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: 'fedcba9876543210', traceFlags: TraceFlags.SAMPLED })

function burst(tracer: Tracer, count: number, traceId: string): void {
  for (let n = 1; n <= count; n += 1) tracer.startSpan(`span ${n}`, {}, insideOf(traceId)).end()
}

describe('the span recorder exports', () => {
  // ● parent   |------|
  //   └─ child   |--|
  it('one request with all spans when none was open for 1 s', () => {
    const { clock, start, names } = page()
    const parent = start('parent')
    start('child').end()
    clock.advance(2000)
    parent.end()
    clock.advance(999)
    expect(names()).toEqual([])
    clock.advance(1)
    expect(names()).toEqual([['child', 'parent']])
    expect(clock.waiting()).toEqual([30_000])
  })

  it('later when a span starts within that second', () => {
    const { clock, start, names } = page()
    start('first').end()
    clock.advance(900)
    const second = start('second')
    clock.advance(900)
    second.end()
    clock.advance(999)
    expect(names()).toEqual([])
    clock.advance(1)
    expect(names()).toEqual([['first', 'second']])
  })

  it('ended spans every 5 s while one is open', () => {
    const { clock, start, names } = page()
    const parent = start('parent')
    for (const name of ['first', 'second']) {
      start(name).end()
      clock.advance(5000)
    }
    expect(names()).toEqual([['first'], ['second']])
    clock.advance(5000)
    expect(names()).toHaveLength(2)
    parent.end()
    clock.advance(1000)
    expect(names()).toEqual([['first'], ['second'], ['parent']])
  })

  it('ended spans after 30 s, and an open one when it ends', () => {
    const { clock, start, names } = page()
    const open = start('open')
    clock.advance(29_000)
    start('ended').end()
    clock.advance(1000)
    expect(names().flat()).toEqual(['ended'])
    clock.advance(60_000)
    open.end()
    expect(names().flat()).toEqual(['ended', 'open'])
  })

  it('spans of a trace with a forgotten span when the others are idle, once 30 s are over', () => {
    const { clock, start, names } = page()
    start('forgotten')
    clock.advance(30_000)
    start('later').end()
    clock.advance(1000)
    expect(names()).toEqual([['later']])
  })

  it('every ended span on flush, and an open one later', () => {
    const { clock, recorder, start, names } = page()
    const open = start('open')
    start('ended').end()
    recorder.flush()
    expect(names()).toEqual([['ended']])
    open.end()
    clock.advance(1000)
    expect(names()).toEqual([['ended'], ['open']])
  })

  it('the spans of several traces in one request, of at most 1000 spans', () => {
    const { clock, start, burst, names, sizes } = page()
    start('a', 'a'.repeat(32)).end()
    start('b', 'b'.repeat(32)).end()
    clock.advance(1000)
    expect(names()).toEqual([['a', 'b']])
    burst(700, 'c'.repeat(32))
    burst(700, 'd'.repeat(32))
    clock.advance(1000)
    expect(sizes()).toEqual([2, 1000, 400])
  })

  it('nothing while there is nothing, and no span that is recorded but not sampled', async () => {
    const { clock, recorder, start, requests } = page({ sampled: false })
    start('unsampled').end()
    clock.advance(60_000)
    await recorder.forceFlush()
    expect(requests).toEqual([])
  })

  it('spans with all that they recorded, and the resource of the page', () => {
    const { clock, provider, requests } = page()
    const span = provider.getTracer('shop', '2').startSpan('GET', { kind: SpanKind.CLIENT, attributes: { a: 1 } })
    span.addEvent('sent').setStatus({ code: 2, message: 'refused' })
    span.end()
    clock.advance(1000)
    const [sent] = requests[0] ?? []
    expect(sent).toMatchObject({
      name: 'GET',
      kind: SpanKind.CLIENT,
      attributes: { a: 1 },
      status: { code: 2, message: 'refused' },
      instrumentationScope: { name: 'shop', version: '2' },
      ended: true,
      resource: { attributes: { 'service.name': 'browser', 'telemetry.sdk.name': 'opentelemetry' } },
    })
    expect(sent?.events.map(({ name }) => name)).toEqual(['sent'])
    expect(sent?.spanContext().spanId).toBe(span.spanContext().spanId)
  })
})

describe('of more than 1000 spans of a trace', () => {
  it('the recorder keeps the first 1000 and counts the rest in the resource', () => {
    const { clock, burst, sizes, dropped } = page()
    burst(1500)
    clock.advance(1000)
    expect(sizes()).toEqual([1000])
    expect(dropped()).toEqual([[500]])
  })

  it('it keeps 1000 and drops none', () => {
    const { clock, burst, sizes, dropped, losses } = page()
    burst(1000)
    clock.advance(1000)
    expect([sizes(), dropped(), losses]).toEqual([[1000], [[undefined]], []])
  })

  it('it keeps a parent that started before them', () => {
    const { clock, start, burst, names, dropped } = page()
    const parent = start('parent')
    burst(1000)
    clock.advance(5000)
    parent.end()
    clock.advance(1000)
    expect(names().flat()).toHaveLength(1000)
    expect(names()[1]).toEqual(['parent'])
    expect(dropped()).toEqual([[1], [undefined]])
  })

  it('it counts the dropped spans of another trace separately', () => {
    const { clock, start, burst, requests } = page()
    burst(1001)
    start('other', 'b'.repeat(32)).end()
    clock.advance(1000)
    const counts = requests.flat().map((span) => [span.name === 'other', droppedOf(span)])
    expect(new Set(counts.map(String))).toEqual(new Set(['false,1', 'true,']))
  })

  it('the last one waits during a burst of more than 5 s, to report the spans that are dropped meanwhile', () => {
    const { clock, burst, sizes, dropped, losses } = page()
    burst(1000)
    for (let n = 0; n < 10; n += 1) {
      clock.advance(600)
      burst(10)
    }
    expect([sizes(), dropped()]).toEqual([[999], [[80]]])
    clock.advance(1000)
    expect([sizes(), dropped()]).toEqual([
      [999, 1],
      [[80], [20]],
    ])
    expect(losses).toEqual([])
  })

  it('the limit holds after an export, and the page reports what no export can', () => {
    const { clock, burst, sizes, losses } = page()
    burst(1000)
    clock.advance(1000)
    burst(3)
    clock.advance(1000)
    expect(sizes()).toEqual([1000])
    expect(losses).toEqual([`3 spans of trace ${TRACE_ID} over its limit of 1000 were dropped`])
  })

  it('the limit is forgotten after 200 further traces, which cause no further request', () => {
    const { clock, start, burst, sizes } = page()
    burst(1000)
    for (let n = 0; n < REMEMBERED_TRACES; n += 1) start('one', `b${n.toString(16).padStart(31, '0')}`).end()
    burst(1)
    expect(sizes()).toEqual([])
    clock.advance(1000)
    expect(sizes()).toEqual([1000, REMEMBERED_TRACES + 1])
  })

  it('the dropped ones are counted before the trace is forgotten', () => {
    const { start, burst, sizes, dropped } = page()
    burst(1002)
    for (let n = 0; n < REMEMBERED_TRACES; n += 1) start('one', `b${n.toString(16).padStart(31, '0')}`).end()
    expect(sizes()).toEqual([1000, REMEMBERED_TRACES - 1])
    expect(dropped()).toEqual([[2], [undefined]])
  })
})

it('the span recorder reports spans that did not arrive', () => {
  const { clock, start, losses } = page({ fails: 'status 503' })
  start('lost').end()
  clock.advance(1000)
  expect(losses).toEqual(['1 spans did not arrive: status 503'])
})

it('on shutdown the span recorder exports the ended spans, stops its timers and closes the exporter', async () => {
  const { clock, provider, start, names, shutdowns } = page()
  start('open')
  start('ended').end()
  await provider.shutdown()
  expect(names()).toEqual([['ended']])
  expect([clock.waiting(), shutdowns()]).toEqual([[], 1])
})
