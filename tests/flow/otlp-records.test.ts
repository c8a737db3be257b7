import { afterAll, describe, expect, it } from 'vitest'
import { CATEGORY_OF_SIGNAL, OTLP_SIGNALS } from '../../lib/otlp/signals'
import { encodeRequest, SPAN, textAttribute, tracesRequest } from '../unit/otlp/requests'
import { digested, endCollectors, startCollector } from './collector-process'
import { clientOf, ENCODINGS, expectStored, madeRequest, noise, postOtlp } from './otlp-posts'
import { retryWhileEvicting } from './retry-while-evicting'

afterAll(endCollectors)

describe('an OTLP request that is stored', () => {
  it.each(ENCODINGS)('is in the lists of traces, events and signals: %s', async (encoding) => {
    const collector = await startCollector()
    const client = clientOf(collector)
    const attributes = [textAttribute('exception.type', 'TypeError'), textAttribute('exception.message', 'no cart')]
    const events = [{ name: 'exception', timeUnixNano: '1544712660500000789', attributes }]
    const { body, traceId, spanId } = madeRequest('traces', encoding, { events })
    await postOtlp(collector, { signal: 'traces', body, encoding })
    const log = madeRequest('logs', encoding, { traceId, spanId })
    await postOtlp(collector, { signal: 'logs', body: log.body, encoding })
    const metric = madeRequest('metrics', encoding)
    await postOtlp(collector, { signal: 'metrics', body: metric.body, encoding })
    await digested(collector, 3)

    expect((await client.traces()).traces).toMatchObject([
      { traceId, name: 'GET /orders', services: ['checkout'], environment: 'staging', release: '1.2.3', errorCount: 1 },
    ])
    expect(await client.trace(traceId)).toMatchObject({
      segments: [{ segmentId: spanId, lifecycle: 'otlp', sdk: 'opentelemetry.nodejs' }],
      spans: [{ spanId, otel: { kind: 'server', startNanos: '1544712660000000123' } }],
      errors: [{ title: 'TypeError: no cart' }],
    })
    const [event] = (await client.events()).events
    expect(event).toMatchObject({ title: 'TypeError: no cart', traceId, service: 'checkout' })
    expect((await client.event(event?.eventId ?? ''))?.spanId).toBe(spanId)
    expect((await client.signals('log')).signals).toMatchObject([
      { name: `the cart of ${log.spanId} is empty`, level: 'warn', traceId, service: 'checkout' },
    ])
    expect((await client.signals('metric')).signals).toMatchObject([
      { name: `carts.${metric.spanId}`, traceId: metric.traceId, fields: { type: 'gauge', value: 3, unit: '{cart}' } },
    ])
  })

  it('gives one row per span when a sender without receipts repeats it', async () => {
    const collector = await startCollector()
    const client = clientOf(collector)
    const events = [{ name: 'exception', attributes: [textAttribute('exception.type', 'TypeError')] }]
    const { body, traceId } = madeRequest('traces', 'protobuf', { events })
    for (const _ of [1, 2]) await postOtlp(collector, { signal: 'traces', body, encoding: 'protobuf' })
    await digested(collector, 2)
    await expectStored(collector, body, 2)
    const trace = await client.trace(traceId)
    expect([trace?.segments.length, trace?.spans.length, trace?.errors.length]).toEqual([1, 1, 1])
    expect((await client.traces()).traces).toMatchObject([{ spanCount: 1, errorCount: 1 }])
    expect((await client.overview()).counts).toMatchObject({ envelopes: 2, spans: 1, errors: 1 })
  })

  it.each(OTLP_SIGNALS)('is counted in the ledger by the quantity of its %s', async (signal) => {
    const collector = await startCollector()
    const requests = {
      traces: tracesRequest(SPAN, { ...SPAN, spanId: 'aaaaaaaaaaaaaaaa' }, { ...SPAN, spanId: 'bbbbbbbbbbbbbbbb' }),
      logs: { resourceLogs: [{ scopeLogs: [{ logRecords: [{}, {}, {}] }] }] },
      metrics: {
        resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'a', sum: { dataPoints: [{}, {}, {}] } }] }] }],
      },
    }
    const body = encodeRequest(signal, 'protobuf', requests[signal])
    expect((await postOtlp(collector, { signal, body, encoding: 'protobuf' })).status).toBe(200)
    const { categories } = await clientOf(collector).losses()
    expect(categories.filter(({ received }) => received > 0)).toMatchObject([
      { category: CATEGORY_OF_SIGNAL[signal], received: 3, kept: 3, unexplained: 0 },
    ])
  })
})

describe('a burst of 10,000 spans', () => {
  const TRACE_ID = '5b8efff798038103d269b633813fc60c'
  const idOf = (index: number): string => (index + 1).toString(16).padStart(16, '0')
  const burst = Array.from({ length: 10_000 }, (_, index) => ({
    ...SPAN,
    spanId: idOf(index),
    ...(index > 0 && { parentSpanId: idOf(0), kind: 1 }),
  }))

  it.each([
    ['one request', 10_000],
    ['requests of 512 spans at the same time', 512],
  ])('10,000 spans in %s become one trace with each span', async (_case, size) => {
    const collector = await startCollector()
    const client = clientOf(collector)
    const batches = Array.from({ length: Math.ceil(burst.length / size) }, (_, n) =>
      burst.slice(n * size, (n + 1) * size),
    )
    const answers = await Promise.all(
      batches.map((spans) => {
        const body = encodeRequest('traces', 'protobuf', tracesRequest(...spans))
        return postOtlp(collector, { signal: 'traces', body, encoding: 'protobuf' })
      }),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await digested(collector, batches.length)
    const trace = await client.trace(TRACE_ID)
    expect(trace?.summary).toMatchObject({ spanCount: 10_000, segmentCount: 1 })
    expect(new Set(trace?.spans.map(({ spanId }) => spanId)).size).toBe(10_000)
    const { categories } = await client.losses()
    expect(categories.find(({ category }) => category === 'span')).toMatchObject({ received: 10_000, kept: 10_000 })
  })
})

it('OTLP records are evicted like envelopes, and the newest are kept', async () => {
  const collector = await startCollector({ WAYSTATION_MAX_DISK: '16MiB' })
  const client = clientOf(collector)
  const ids: string[] = []
  for (let n = 0; n < 60; n += 1) {
    const { body, traceId } = madeRequest('traces', 'protobuf', { attributes: noise(384 * 1024) })
    ids.push(traceId)
    const answer = await retryWhileEvicting(() => postOtlp(collector, { signal: 'traces', body, encoding: 'protobuf' }))
    expect(answer.status).toBe(200)
  }
  await expect.poll(async () => await client.trace(ids.at(-1) ?? '')).not.toBeNull()
  await expect.poll(async () => (await client.storage()).state).toBe('ok')
  const storage = await client.storage()
  expect(storage.evicted.records).toBeGreaterThan(5)
  expect(storage.records + storage.evicted.records).toBe(60)
  expect(await client.trace(ids[0] ?? '')).toBeNull()
  const { traces } = await client.traces({ limit: 200 })
  expect(traces).toHaveLength(storage.records)
  const { categories } = await client.losses()
  expect(categories.find(({ category }) => category === 'span')).toMatchObject({ received: 60, unexplained: 0 })
}, 120_000)
