import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type CollectorClient, collectorClient } from '../../lib/wire/collector-client'
import { sourceOf } from '../repo/sources.js'
import { type CollectorProcess, endCollectors, startCollector } from './collector-process'
import { endPrograms, type SetUp, startOtlpProgram } from './otlp-program'

afterAll(() => {
  endPrograms()
  endCollectors()
})

let collector: CollectorProcess
let client: CollectorClient
/** The variables of the documentation. */
const otelVariables = ({ url }: CollectorProcess) => ({
  OTEL_SERVICE_NAME: 'shop',
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
})

/** Starts the server, requests a page of it, and resolves when its telemetry is digested. */
async function visit(setUp: SetUp, env: Readonly<Record<string, string>>): Promise<void> {
  const program = await startOtlpProgram(setUp, env)
  expect((await fetch(`${program.url}/orders`)).status).toBe(200)
  await program.end()
  const { journal } = await client.overview()
  await expect.poll(async () => (await client.envelopes({ limit: 200 })).envelopes.every(isDigested)).toBe(true)
  expect(journal).toBeGreaterThan(0)
}

const isDigested = ({ digest }: { readonly digest: string }): boolean => digest === 'digested'

/** The only trace, its server span, the span of the plain API in it, and the error. */
async function onlyTrace() {
  const { traces } = await client.traces()
  expect(traces).toHaveLength(1)
  const trace = await client.trace(traces[0]?.traceId ?? '')
  const spans = trace?.spans ?? []
  return {
    trace,
    served: spans.find(({ op }) => op === 'http.server'),
    priced: spans.find(({ name }) => name === 'price the cart'),
    error: trace?.errors[0],
  }
}

const endpointsUsed = async (): Promise<readonly string[]> =>
  [...new Set((await client.envelopes({ limit: 200 })).envelopes.map(({ endpoint }) => endpoint))].sort()

describe('a program with the documented set-up', () => {
  beforeEach(async () => {
    collector = await startCollector()
    client = collectorClient(collector.url, fetch)
  })

  it('shows spans of @opentelemetry/api in the trace of Sentry', async () => {
    await visit('sentry', { SENTRY_DSN: collector.dsn })
    const { trace, served, priced, error } = await onlyTrace()
    expect(served).toMatchObject({ isSegment: true, op: 'http.server' })
    expect(priced).toMatchObject({ parentSpanId: served?.spanId, segmentId: served?.spanId })
    expect(error).toMatchObject({ title: 'Error: no price', spanId: priced?.spanId })
    expect(trace?.segments.map(({ lifecycle }) => lifecycle)).not.toContain('otlp')
    expect(await endpointsUsed()).toEqual(['envelope'])
  })

  it('shows an error of Sentry at the OpenTelemetry span that was active', async () => {
    await visit('opentelemetry-and-sentry', { ...otelVariables(collector), SENTRY_DSN: collector.dsn })
    const { trace, served, priced, error } = await onlyTrace()
    expect(trace?.segments).toMatchObject([{ lifecycle: 'otlp', service: 'shop', sdk: 'opentelemetry.nodejs' }])
    expect(served).toMatchObject({ isSegment: true, otel: { kind: 'server' } })
    expect(priced).toMatchObject({ parentSpanId: served?.spanId, otel: { scope: { name: 'shop' } } })
    expect(error).toMatchObject({ title: 'Error: no price', spanId: priced?.spanId })
    expect((await client.events()).events).toHaveLength(1)
  })

  it('shows traces, errors, logs and metrics of a program that has only OpenTelemetry', async () => {
    await visit('opentelemetry', otelVariables(collector))
    const { served, priced, error } = await onlyTrace()
    expect(priced).toMatchObject({ parentSpanId: served?.spanId, status: null })
    expect(error).toMatchObject({ title: 'Error: no price', service: 'shop' })
    expect((await client.event(error?.eventId ?? ''))?.exceptions[0]?.frames[0]?.filename).toMatch(/shop\.cjs$/)
    expect((await client.signals('log')).signals).toMatchObject([
      { name: 'the cart is empty', level: 'warn', spanId: priced?.spanId, service: 'shop' },
    ])
    const metrics = (await client.signals('metric')).signals
    expect(metrics.find(({ name }) => name === 'shop.orders')?.fields).toMatchObject({
      type: 'sum',
      value: 1,
      unit: '{order}',
      attributes: { currency: 'EUR' },
    })
    expect(metrics.map(({ name }) => name)).toContain('http.server.request.duration')
    expect(await endpointsUsed()).toEqual(['otlp_logs', 'otlp_metrics', 'otlp_traces'])
  })
})

it.each(['sentry', 'opentelemetry-and-sentry', 'opentelemetry'])(
  'documents the set-up %s exactly as it is tested',
  (setUp) => {
    expect(sourceOf('docs/opentelemetry.md')).toContain(sourceOf(`tests/fixtures/otlp-programs/${setUp}.cjs`))
  },
)
