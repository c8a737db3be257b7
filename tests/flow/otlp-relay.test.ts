import { afterAll, describe, expect, it } from 'vitest'
import type { StandIn } from '../../collector/stand-in/stand-in'
import type { OtlpSignal } from '../../lib/otlp/signals'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import { SPAN, textAttribute } from '../unit/otlp/requests'
import { type CollectorProcess, endCollectors, factAfter, startCollector } from './collector-process'
import { CONTENT_TYPES, madeRequest, postOtlp } from './otlp-posts'
import { relaying, upstream } from './upstream'

afterAll(endCollectors)

const client = (collector: CollectorProcess) => collectorClient(collector.url, fetch)
const urlOf = (standIn: StandIn): string => `http://${standIn.dsn.host}`

/** Posts a request and resolves with its bytes once it is decided. */
async function decided(collector: CollectorProcess, signal: OtlpSignal, after = 0) {
  const { body } = madeRequest(signal, 'protobuf')
  expect((await postOtlp(collector, { signal, encoding: 'protobuf', body })).status).toBe(200)
  return { body, n: await factAfter(collector, 'decided', after) }
}

const deliveryStatus = async (collector: CollectorProcess, seq: number) =>
  (await client(collector).envelope(seq))?.deliveryStatus

const posts = (standIn: StandIn) =>
  standIn.received().map(({ path, body }) => ({ path, body: Buffer.from(body).toString('base64') }))

describe('the relay of OpenTelemetry to the project of a DSN', () => {
  it.each([
    ['traces', 'json'],
    ['traces', 'protobuf'],
    ['logs', 'json'],
    ['logs', 'protobuf'],
  ] as const)('posts %s in %s byte for byte, with their content type and the key', async (signal, encoding) => {
    const standIn = await upstream()
    const collector = await relaying(standIn)
    const { body } = madeRequest(signal, encoding)
    const posted = standIn.nextPost()
    await postOtlp(collector, { signal, encoding, body, headers: { 'user-agent': 'Exporter/1' } })
    const received = await posted
    expect(Buffer.from(received.body)).toEqual(body)
    expect(received.path).toBe(`/api/1/integration/otlp/v1/${signal}/`)
    expect(received.headers).toMatchObject({
      'content-type': CONTENT_TYPES[encoding],
      'x-sentry-auth': expect.stringContaining('sentry_key=local'),
      'user-agent': 'Exporter/1',
    })
    await factAfter(collector, 'decided')
    expect(await deliveryStatus(collector, 1)).toEqual({ name: 'accepted', reason: null })
  })

  it('keeps metrics, for which Sentry has no endpoint', async () => {
    const standIn = await upstream()
    const collector = await relaying(standIn)
    const { body } = madeRequest('metrics', 'json')
    await postOtlp(collector, { signal: 'metrics', body })
    expect(await deliveryStatus(collector, 1)).toEqual({ name: 'kept', reason: 'no_endpoint' })
    const posted = standIn.nextPost()
    await postOtlp(collector, { signal: 'traces', body: madeRequest('traces', 'json').body })
    await posted
    expect(posts(standIn).map(({ path }) => path)).toEqual(['/api/1/integration/otlp/v1/traces/'])
  })

  it('ends as rate_limited for a 429, and cuts what comes before its Retry-After is over', async () => {
    const standIn = await upstream()
    const collector = await relaying(standIn)
    standIn.play({ answers: [{ status: 429, headers: { 'Retry-After': '60' }, times: 1 }] })
    const first = await decided(collector, 'traces')
    await decided(collector, 'logs', first.n)
    expect(await deliveryStatus(collector, 1)).toEqual({ name: 'rate_limited', reason: 'upstream_429' })
    expect(await deliveryStatus(collector, 2)).toEqual({ name: 'rate_limited', reason: 'limited' })
    expect(standIn.received()).toHaveLength(1)
    expect((await client(collector).limits()).limits).toMatchObject([{ upstream: `${standIn.dsn.host}/1` }])
  })

  it('retries after a 503, and posts the same bytes', async () => {
    const standIn = await upstream()
    const collector = await relaying(standIn)
    standIn.play({ answers: [{ status: 503, times: 1 }] })
    const { body } = await decided(collector, 'traces')
    expect(posts(standIn).map((post) => post.body)).toEqual([body, body].map((one) => one.toString('base64')))
    expect(await deliveryStatus(collector, 1)).toEqual({ name: 'accepted', reason: null })
  })

  it('makes a dead letter of a 404, and continues with the next request', async () => {
    const standIn = await upstream()
    const collector = await relaying(standIn)
    standIn.play({ answers: [{ status: 404, times: 1 }] })
    const { body } = madeRequest('logs', 'json')
    await postOtlp(collector, { signal: 'logs', body })
    await factAfter(collector, 'delivered')
    await decided(collector, 'traces')
    expect((await client(collector).overview()).upstreams).toMatchObject([
      { state: 'idle', deadLetters: 1, pending: 0 },
    ])
    expect(await deliveryStatus(collector, 2)).toEqual({ name: 'accepted', reason: null })
  })

  it('counts an answer with a partial success as accepted', async () => {
    const standIn = await upstream()
    const collector = await relaying(standIn)
    standIn.play({ answers: [{ status: 200, body: '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}' }] })
    await decided(collector, 'traces')
    expect(await deliveryStatus(collector, 1)).toEqual({ name: 'accepted', reason: null })
    expect((await client(collector).envelope(1))?.attempts[0]?.answer).toContain('rejectedSpans')
  })

  it('removes secrets before relaying, and keeps them in the record', async () => {
    const standIn = await upstream()
    const collector = await relaying(standIn, { WAYSTATION_SCRUB: 'on' })
    const fields = {
      attributes: [textAttribute('password', 'hunter2hunter2')],
      status: { message: 'of ada@example.org' },
    }
    for (const encoding of ['json', 'protobuf'] as const) {
      const arrived = standIn.nextPost()
      const { body } = madeRequest('traces', encoding, { ...SPAN, ...fields })
      await postOtlp(collector, { signal: 'traces', encoding, body })
      const relayed = Buffer.from((await arrived).body).toString('latin1')
      expect(relayed).not.toMatch(/hunter2|ada@/)
      expect(relayed.match(/\[Filtered\]/g)).toHaveLength(2)
    }
    await factAfter(collector, 'delivered', await factAfter(collector, 'delivered'))
    const place = '0.resourceSpans.0.scopeSpans.0.spans.0'
    for (const seq of [1, 2]) {
      expect((await client(collector).envelope(seq))?.attempts).toMatchObject([
        {
          form: ['scrubbed'],
          removed: [
            { rule: 'key', path: `${place}.attributes.password` },
            { rule: 'email', path: `${place}.status.message` },
          ],
        },
      ])
      expect(await (await fetch(`${collector.url}/query/envelopes/${seq}?raw`)).text()).toContain('hunter2')
    }
  })

  it('stores no secret when the store is scrubbed, too', async () => {
    const standIn = await upstream()
    const collector = await relaying(standIn, { WAYSTATION_SCRUB: 'on', WAYSTATION_SCRUB_STORE: 'on' })
    const { body } = madeRequest('logs', 'protobuf', { body: { stringValue: 'Bearer abcdefghijklmnop' } })
    await postOtlp(collector, { signal: 'logs', encoding: 'protobuf', body })
    await factAfter(collector, 'decided')
    const recorded = await (await fetch(`${collector.url}/query/envelopes/1?raw`)).text()
    expect(recorded).toContain('Bearer [Filtered]')
    expect(recorded).not.toContain('abcdefghijklmnop')
  })
})

describe('WAYSTATION_OTLP_UPSTREAM', () => {
  it('receives all three signals of requests without a key, and no envelope', async () => {
    const [sentry, otel] = [await upstream(), await upstream()]
    const collector = await relaying(sentry, {
      WAYSTATION_OTLP_UPSTREAM: `http://ada:hunter2@${otel.dsn.host}/base/`,
    })
    let n = 0
    const bodies: string[] = []
    for (const signal of ['traces', 'logs', 'metrics'] as const) {
      const one = await decided(collector, signal, n)
      n = one.n
      bodies.push(one.body.toString('base64'))
    }
    expect(posts(otel)).toEqual([
      { path: '/base/v1/traces', body: bodies[0] },
      { path: '/base/v1/logs', body: bodies[1] },
      { path: '/base/v1/metrics', body: bodies[2] },
    ])
    expect(otel.received()[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('ada:hunter2').toString('base64')}`,
      'content-type': 'application/x-protobuf',
    })
    expect(otel.received()[0]?.headers).not.toHaveProperty('x-sentry-auth')
    expect(sentry.received()).toEqual([])
    const overview = await client(collector).overview()
    expect(overview.upstreams.map(({ label }) => label)).toEqual([
      `${sentry.dsn.host}/1`,
      `${otel.dsn.host}/base (OpenTelemetry)`,
    ])
    expect(JSON.stringify(overview)).not.toContain('hunter2')
  })

  it('leaves requests with a key to the project of that key', async () => {
    const [sentry, otel] = [await upstream(), await upstream()]
    const collector = await relaying(sentry, { WAYSTATION_OTLP_UPSTREAM: urlOf(otel) })
    const { body } = madeRequest('traces', 'json')
    const headers = { 'x-sentry-auth': 'sentry sentry_key=local' }
    await postOtlp(collector, { signal: 'traces', body, headers })
    await factAfter(collector, 'decided')
    expect([sentry.received().length, otel.received().length]).toEqual([1, 0])
  })

  it('may be another DSN, which envelopes of the local DSN do not go to', async () => {
    const otel = await upstream()
    const dsn = formatDsn(otel.dsn).replace('local@', 'otelkey@').replace(/1$/, '77')
    const collector = await startCollector({ WAYSTATION_OTLP_UPSTREAM: dsn })
    await decided(collector, 'logs')
    expect(otel.received()).toMatchObject([
      {
        path: '/api/77/integration/otlp/v1/logs/',
        headers: { 'x-sentry-auth': expect.stringContaining('sentry_key=otelkey') },
      },
    ])
    expect(collector.dsn).toMatch(/\/\/local@.*\/1$/)
    await fetch(`${collector.url}/api/1/envelope/?sentry_key=local`, {
      method: 'POST',
      body: '{}\n{"type":"event"}\n{}',
    })
    expect(await deliveryStatus(collector, 2)).toEqual({ name: 'kept', reason: 'no_upstream' })
  })

  it('follows no redirect, and is paused by one', async () => {
    const [otel, target] = [await upstream(), await upstream()]
    const collector = await startCollector({ WAYSTATION_OTLP_UPSTREAM: urlOf(otel) })
    otel.play({ answers: [{ status: 307, headers: { Location: `${urlOf(target)}/v1/traces` } }] })
    const { body } = madeRequest('traces', 'json')
    await postOtlp(collector, { signal: 'traces', body })
    await factAfter(collector, 'delivered')
    await expect.poll(async () => (await client(collector).overview()).upstreams).toMatchObject([{ state: 'paused' }])
    expect(target.received()).toEqual([])
    expect(collector.output()).toContain('(OpenTelemetry) is paused: it answers 307')
  })

  it('limits its own posts alone, under its label', async () => {
    const [sentry, otel] = [await upstream(), await upstream()]
    const collector = await relaying(sentry, { WAYSTATION_OTLP_UPSTREAM: urlOf(otel) })
    otel.play({ answers: [{ status: 429, headers: { 'Retry-After': '60' }, times: 1 }] })
    const first = await decided(collector, 'metrics')
    await decided(collector, 'metrics', first.n)
    expect(await deliveryStatus(collector, 2)).toEqual({ name: 'rate_limited', reason: 'limited' })
    expect((await client(collector).limits()).limits).toMatchObject([
      { upstream: `${otel.dsn.host} (OpenTelemetry)`, category: 'all' },
    ])
  })

  it('delivers what is pending after a restart with another address', async () => {
    const [away, otel] = [await upstream(), await upstream()]
    const collector = await startCollector({ WAYSTATION_OTLP_UPSTREAM: urlOf(away) })
    away.play({ answers: [{ status: 503 }] })
    const { body } = madeRequest('traces', 'json')
    await postOtlp(collector, { signal: 'traces', body })
    await factAfter(collector, 'delivered')
    await collector.stop()
    const arrived = otel.nextPost()
    const again = await collector.restart({ WAYSTATION_OTLP_UPSTREAM: urlOf(otel) })
    expect(Buffer.from((await arrived).body)).toEqual(body)
    await again.stop()
    const local = await again.restart({ WAYSTATION_OTLP_UPSTREAM: '' })
    expect((await client(local).overview()).stranded).toEqual([])
  })

  it('is needed with several upstreams: without it requests stay local', async () => {
    const [one, other] = [await upstream(), await upstream()]
    const dsns = `${formatDsn(one.dsn)},${formatDsn(other.dsn).replace(/1$/, '2')}`
    const collector = await startCollector({ WAYSTATION_DSNS: dsns })
    const { body } = madeRequest('traces', 'json')
    await postOtlp(collector, { signal: 'traces', body })
    expect(await deliveryStatus(collector, 1)).toEqual({ name: 'kept', reason: 'several_upstreams' })
    const selecting = await startCollector({
      WAYSTATION_DSNS: dsns,
      WAYSTATION_OTLP_UPSTREAM: dsns.split(',')[1] ?? '',
    })
    await decided(selecting, 'traces')
    expect([one.received().length, other.received().length]).toEqual([0, 1])
    expect((await client(selecting).overview()).upstreams).toHaveLength(2)
  })
})
