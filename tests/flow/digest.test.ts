import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { type CollectorProcess, digested, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope, spanEnvelope, transactionEnvelope } from './envelopes'

afterAll(endCollectors)

describe('digest', () => {
  let collector: CollectorProcess
  let sent = 0
  const client = () => collectorClient(collector.url, fetch)
  const send = async (body: string, items = 1): Promise<void> => {
    expect((await postEnvelope(collector, body)).status).toBe(200)
    sent += items
    await digested(collector, sent)
  }
  beforeAll(async () => {
    collector = await startCollector()
  })

  it('stores a segment and its spans for a static transaction', async () => {
    const { body, traceId, spanId } = transactionEnvelope(collector.dsn, { children: 3 })
    await send(body)
    const trace = await client().trace(traceId)
    expect(trace?.segments).toMatchObject([
      { segmentId: spanId, name: '/checkout', lifecycle: 'static', service: 'browser', spanCount: 4 },
    ])
    expect(trace?.spans).toHaveLength(4)
    expect(trace?.summary).toMatchObject({
      name: '/checkout',
      op: 'pageload',
      status: 'ok',
      durationUs: 1_500_000,
      spanCount: 4,
    })
  })

  it('stores the same for streamed spans, with the path as the name', async () => {
    const { body, traceId, spanId } = spanEnvelope(collector.dsn)
    await send(body)
    const trace = await client().trace(traceId)
    expect(trace?.segments).toMatchObject([
      { segmentId: spanId, name: '/checkout', op: 'pageload', lifecycle: 'stream', service: 'browser' },
    ])
    expect(trace?.spans.map((span) => span.isSegment)).toEqual([true, false, false])
  })

  it('joins children that arrive before their segment', async () => {
    const early = spanEnvelope(collector.dsn, { withSegment: false, children: 2 })
    await send(early.body)
    expect((await client().trace(early.traceId))?.segments).toEqual([])
    const late = spanEnvelope(collector.dsn, { traceId: early.traceId, segmentId: early.spanId, children: 0 })
    await send(late.body)
    const trace = await client().trace(early.traceId)
    expect(trace?.segments).toMatchObject([{ segmentId: early.spanId, spanCount: 3 }])
    expect(trace?.summary).toMatchObject({ spanCount: 3, segmentCount: 1, name: '/checkout' })
  })

  it('stores the same rows when an envelope arrives twice', async () => {
    const { body, traceId } = transactionEnvelope(collector.dsn, { children: 2 })
    await send(body)
    const once = await client().trace(traceId)
    await send(body)
    const twice = await client().trace(traceId)
    expect(twice?.spans.map((span) => span.spanId)).toEqual(once?.spans.map((span) => span.spanId))
    expect(twice?.summary.spanCount).toBe(3)
  })

  it('puts browser and server into one trace', async () => {
    const browser = transactionEnvelope(collector.dsn)
    await send(browser.body)
    const server = transactionEnvelope(collector.dsn, {
      traceId: browser.traceId,
      parentSpanId: browser.spanId,
      platform: 'node',
      op: 'http.server',
      name: 'GET /api',
    })
    await send(server.body)
    const trace = await client().trace(browser.traceId)
    expect(trace?.summary).toMatchObject({ segmentCount: 2, services: ['browser', 'server'], name: '/checkout' })
  })

  it('stores an error with its breadcrumbs, which its trace lists', async () => {
    const { body, eventId, traceId } = errorEnvelope(collector.dsn, { breadcrumbs: 100, message: 'cart is empty' })
    await send(body)
    const event = await client().event(eventId)
    expect(event).toMatchObject({ title: 'Error: cart is empty', handled: true, environment: 'production', copy: 'no' })
    expect(event?.breadcrumbs).toHaveLength(100)
    expect((await client().trace(traceId))?.errors.map((error) => error.eventId)).toEqual([eventId])
    expect((await client().trace(traceId))?.breadcrumbs).toHaveLength(100)
  })

  it('stores, counts and lists items of unknown types', async () => {
    const body = [
      JSON.stringify({ dsn: collector.dsn }),
      '{"type":"from_the_future","length":3}',
      '\u0001\u0002\u0003',
      '{"type":"statsd"}',
      'requests:1|c',
    ].join('\n')
    await send(body, 2)
    const newest = (await client().envelopes({ limit: 1 })).envelopes[0]
    expect(newest?.items).toMatchObject([
      {
        type: 'from_the_future',
        category: 'from_the_future',
        quantity: 1,
        bytes: 3,
        problem: 'not read',
        deliveryStatus: { name: 'kept' },
      },
      {
        type: 'statsd',
        category: 'metric_bucket',
        problem: 'not read',
        deliveryStatus: { name: 'kept', reason: 'no_upstream' },
      },
    ])
  })

  it('reports the problem of an unreadable item, and continues with the next', async () => {
    const good = errorEnvelope(collector.dsn)
    await send([JSON.stringify({ dsn: collector.dsn }), '{"type":"transaction"}', '{"not":"a transaction"}'].join('\n'))
    await send(good.body)
    const [, broken] = (await client().envelopes({ limit: 2 })).envelopes
    expect(broken).toMatchObject({ digest: 'digested', items: [{ problem: expect.stringContaining('trace_id') }] })
    expect(await client().event(good.eventId)).not.toBeNull()
  })

  it('reads an event that is nested too deeply without its deeper values, and returns the item as text', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const eventId = 'de'.repeat(16)
    await send(
      [JSON.stringify({ dsn: collector.dsn }), '{"type":"event"}', `{"event_id":"${eventId}","extra":${deep}}`].join(
        '\n',
      ),
    )
    const newest = (await client().envelopes({ limit: 1 })).envelopes[0]
    expect(newest?.items).toMatchObject([{ problem: null }])
    const shown = await client().envelope(newest?.seq ?? 0)
    expect(shown?.items[0]?.text).toContain(deep)
    const event = await client().event(eventId)
    expect(JSON.stringify(event?.payload)).toContain('(deeper than 32 levels)')
  })

  it('pages without gaps or repeats while envelopes arrive', async () => {
    const before = (await client().envelopes({ limit: 200 })).envelopes.map((one) => one.seq)
    const first = await client().envelopes({ limit: 3 })
    await send(errorEnvelope(collector.dsn).body)
    const seen = first.envelopes.map((one) => one.seq)
    for (let cursor = first.next; cursor !== null; ) {
      const page = await client().envelopes({ limit: 3, cursor })
      seen.push(...page.envelopes.map((one) => one.seq))
      cursor = page.next
    }
    expect(seen).toEqual(before)
  })

  it('rebuilds the index when its schema version differs', async () => {
    const before = await client().overview()
    await collector.stop()
    const rows = new Database(`${collector.folder}/telemetry.db`)
    rows.pragma('user_version = 999')
    rows.exec('DROP TABLE segments')
    rows.close()
    collector = await collector.restart()
    await digested(collector, sent)
    expect((await client().overview()).counts).toEqual(before.counts)
  })

  it('rebuilds the index when its file is missing', async () => {
    const before = await client().overview()
    await collector.stop()
    const { rmSync } = await import('node:fs')
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${collector.folder}/telemetry.db${suffix}`, { force: true })
    collector = await collector.restart()
    await digested(collector, sent)
    const after = await client().overview()
    expect(after.counts).toEqual(before.counts)
    expect(after.items).toEqual(before.items)
  })
})

describe('a Spotlight copy', () => {
  it('is listed but neither relayed nor counted, and marks the original when that arrives', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
    const client = collectorClient(collector.url, fetch)
    const { body, eventId } = errorEnvelope(collector.dsn)
    const copy = await fetch(`${collector.url}/stream`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-sentry-envelope' },
    })
    expect(copy.status).toBe(200)
    await digested(collector, 1)
    expect(await client.event(eventId)).toMatchObject({ copy: 'only', deliveryStatus: { name: 'copy' } })
    expect((await client.overview()).items.received).toBe(0)
    expect((await client.envelopes()).envelopes[0]).toMatchObject({
      endpoint: 'stream',
      deliveryStatus: { name: 'copy' },
      deliveries: 0,
    })
    await postEnvelope(collector, body)
    await digested(collector, 2)
    expect(await client.event(eventId)).toMatchObject({ copy: 'also' })
    expect((await client.overview()).items.received).toBe(1)
  })

  it('is accepted without a key', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
    const body = '{"sdk":{"name":"sentry.python"}}\n{"type":"session"}\n{}'
    expect((await fetch(`${collector.url}/stream`, { method: 'POST', body })).status).toBe(200)
  })
})
