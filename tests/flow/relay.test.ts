import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { aboutSeconds, firstLimit } from './about-seconds'
import {
  type CollectorProcess,
  endCollectors,
  factAfter,
  newestSeq,
  postEnvelope,
  startCollector,
} from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'
import { relaying, upstream } from './upstream'

afterAll(endCollectors)
const client = (collector: CollectorProcess) => collectorClient(collector.url, fetch)

describe('relay', () => {
  it('posts the record byte for byte to the configured upstream, with the key in a header', async () => {
    const standIn = await upstream()
    const collector = await relaying(standIn)
    const { body } = errorEnvelope(collector.dsn, { message: 'ünïcode \\n and all' })
    const posted = standIn.nextPost()
    await postEnvelope(collector, body, { 'user-agent': 'Test/1', origin: 'http://localhost:4000' })
    const { path, headers, body: received } = await posted
    expect(Buffer.from(received).toString('utf8')).toBe(body)
    expect(path).toBe('/api/1/envelope/')
    expect(headers).toMatchObject({
      'x-sentry-auth': expect.stringContaining('sentry_key=local'),
      'content-type': 'application/x-sentry-envelope',
      'user-agent': 'Test/1',
      origin: 'http://localhost:4000',
    })
    expect(headers).not.toHaveProperty('cookie')
  })

  it('writes a delivery row for each attempt, and the outcome once', async () => {
    const standIn = await upstream()
    const collector = await relaying(standIn)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'decided')
    const envelope = await client(collector).envelope(1)
    expect(envelope).toMatchObject({
      deliveryStatus: { name: 'accepted', reason: null },
      deliveries: 1,
      relayedAt: expect.any(Number),
    })
    expect(envelope?.attempts).toMatchObject([
      {
        attempt: 1,
        status: 200,
        error: null,
        form: ['received'],
        upstream: `${standIn.dsn.host}/1`,
        maybeDelivered: false,
      },
    ])
    expect(envelope?.attempts[0]?.sha256).toBe(standIn.received()[0]?.sha256)
  })

  it('gives every item the outcome kept without an upstream', async () => {
    const collector = await startCollector()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    const overview = await client(collector).overview()
    expect(overview).toMatchObject({
      localOnly: true,
      upstreams: [],
      items: { received: 1, pending: 0, outcomes: { kept: 1 } },
    })
    expect((await client(collector).envelope(1))?.deliveryStatus).toEqual({ name: 'kept', reason: 'no_upstream' })
  })

  it('backs off during an outage, and delivers afterwards', async () => {
    const standIn = await upstream()
    const port = Number(standIn.dsn.host.split(':')[1])
    const collector = await relaying(standIn)
    await standIn.close()
    const sent = [errorEnvelope(collector.dsn), errorEnvelope(collector.dsn), errorEnvelope(collector.dsn)]
    for (const { body } of sent) await postEnvelope(collector, body)
    const failed = await factAfter(collector, 'delivered')
    // During each attempt it has another state.
    await expect
      .poll(() => client(collector).overview())
      .toMatchObject({
        items: { pending: 3 },
        upstreams: [
          { state: 'backing_off', pending: 3, last: { status: null, error: expect.stringContaining('ECONNREFUSED') } },
        ],
      })
    const ready = async () => {
      const answer = await fetch(`${collector.url}/health/ready`)
      return [answer.status, await answer.text()]
    }
    await expect.poll(ready).toEqual([503, expect.stringContaining('ECONNREFUSED')])
    const back = await upstream(port)
    let after = failed
    for (const _ of sent) after = await factAfter(collector, 'decided', after)
    // Posts that are open at the same time may arrive in any order.
    const received = back.received().map((post) => Buffer.from(post.body).toString())
    expect(received.sort()).toEqual(sent.map((one) => one.body).sort())
    const first = await client(collector).envelope(1)
    expect(first?.attempts.length).toBeGreaterThan(1)
    expect(first?.attempts[0]).toMatchObject({ status: null, maybeDelivered: false })
  })

  it('delivers pending envelopes after a SIGKILL', async () => {
    const standIn = await upstream()
    standIn.play({ answers: [{ does: 'reset' }] })
    const collector = await relaying(standIn)
    const { body } = errorEnvelope(collector.dsn)
    await postEnvelope(collector, body)
    await factAfter(collector, 'delivered')
    await collector.kill()
    standIn.play({ answers: [] })
    standIn.forget()
    const again = await collector.restart()
    // A shared record gives the deliveries of a killed collector to the next one after 20 s.
    await expect.poll(async () => (await client(again).envelope(1))?.deliveryStatus.name).toBe('accepted')
    expect(standIn.received().map((post) => Buffer.from(post.body).toString())).toEqual([body])
    const attempts = (await client(again).envelope(1))?.attempts ?? []
    expect(attempts[0]).toMatchObject({ status: null, maybeDelivered: true })
  })

  it('never has more than 30 posts open', async () => {
    const standIn = await upstream()
    standIn.play({ answers: [{ does: 'hang' }] })
    const collector = await relaying(standIn)
    await Promise.all(Array.from({ length: 45 }, () => postEnvelope(collector, errorEnvelope(collector.dsn).body)))
    await expect.poll(() => standIn.received().length).toBe(30)
    expect((await client(collector).overview()).upstreams).toMatchObject([{ open: 30, pending: 45 }])
  })

  it.each([
    [422, 'invalid', 'upstream_422'],
    [429, 'rate_limited', 'upstream_429'],
  ])('gives an envelope that upstream answers with %i the outcome %s', async (status, name, reason) => {
    const standIn = await upstream()
    standIn.play({
      answers: [{ status, body: '{"detail":"upstream says no"}' }],
    })
    const collector = await relaying(standIn)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'decided')
    const envelope = await client(collector).envelope(1)
    expect(envelope?.deliveryStatus).toEqual({ name, reason })
    expect(envelope?.attempts).toMatchObject([{ status, answer: '{"detail":"upstream says no"}' }])
    expect(standIn.received()).toHaveLength(1)
  })

  it.each([401, 403, 404, 302])(
    'keeps an envelope pending when upstream answers %i: the DSN may be mistyped',
    async (status) => {
      const standIn = await upstream()
      const elsewhere = await upstream()
      const location = `http://${elsewhere.dsn.host}/stolen`
      standIn.play({ answers: [{ status, headers: { location } }] })
      const collector = await relaying(standIn)
      await postEnvelope(collector, errorEnvelope(collector.dsn).body)
      await factAfter(collector, 'delivered')
      expect((await client(collector).overview()).items).toMatchObject({ pending: 1 })
      expect(elsewhere.received()).toEqual([])
    },
  )

  it('stores the limits of a 429, passes them to SDKs with the remaining seconds, and restores them at a restart', async () => {
    const standIn = await upstream()
    standIn.play({
      answers: [
        {
          status: 429,
          headers: { 'x-sentry-rate-limits': '120:error;transaction:key:quota' },
          times: 1,
        },
      ],
    })
    const collector = await relaying(standIn)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'decided')
    const header = async (at: CollectorProcess): Promise<string> =>
      (await postEnvelope(at, errorEnvelope(at.dsn).body)).headers.get('x-sentry-rate-limits') ?? ''
    expect(firstLimit(await header(collector))).toEqual({
      seconds: aboutSeconds(120),
      rest: 'error;transaction:key:quota',
    })
    expect((await client(collector).overview()).limits).toHaveLength(2)
    await collector.stop()
    const again = await collector.restart()
    expect(await header(again)).toContain(':error;transaction:')
    await again.stop()
    const silent = await again.restart({ WAYSTATION_PASS_LIMITS: 'off' })
    expect(await header(silent)).toBe('')
  })

  it('counts the items of a 200 whose own header limits their category as rate limited', async () => {
    const standIn = await upstream()
    standIn.play({
      answers: [{ headers: { 'x-sentry-rate-limits': '60:session:key' }, body: '{}' }],
    })
    const collector = await relaying(standIn)
    const { body } = errorEnvelope(collector.dsn)
    await postEnvelope(collector, `${body}\n{"type":"session"}\n{"sid":"1"}`)
    await factAfter(collector, 'decided')
    const deliveryStatuses = (await client(collector).envelope(1))?.items.map((item) => item.deliveryStatus.name)
    expect(deliveryStatuses).toEqual(['accepted', 'rate_limited'])
  })

  it('sends each envelope to the upstream with its key and project', async () => {
    const [one, two] = [await upstream(), await upstream()]
    const second = `http://other@${two.dsn.host}/7`
    const collector = await relaying(one, { WAYSTATION_DSNS: second })
    const first = one.nextPost()
    const other = two.nextPost()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await postEnvelope(collector, transactionEnvelope('http://other@127.0.0.1:8969/7').body)
    expect((await first).headers['x-sentry-auth']).toContain('sentry_key=local')
    expect((await other).path).toBe('/api/7/envelope/')
  })

  it('never connects to the host of a received DSN', async () => {
    const trap = createServer((_request, response) => response.end())
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
    let connections = 0
    trap.on('connection', () => {
      connections += 1
    })
    const standIn = await upstream()
    const collector = await relaying(standIn)
    const posted = standIn.nextPost()
    const { port } = trap.address() as AddressInfo
    expect((await postEnvelope(collector, errorEnvelope(`http://local@127.0.0.1:${port}/1`).body)).status).toBe(200)
    await posted
    await factAfter(collector, 'decided')
    expect(connections).toBe(0)
    await new Promise((resolve) => trap.close(resolve))
  })

  it('refuses to be its own upstream, which would relay each envelope forever', async () => {
    for (const env of [
      { WAYSTATION_UPSTREAM: 'http://local@127.0.0.1:18999/1' },
      { WAYSTATION_DSNS: 'http://local@localhost:18999/1' },
      { SENTRY_DSN: 'http://local@[::1]:18999/1', WAYSTATION_RELAY: 'on' },
    ] as Record<string, string>[])
      await expect(startCollector({ ...env, WAYSTATION_PORT: '18999' })).rejects.toThrow(/is this collector itself/)
  })

  it('relays telemetry of the lab only after a person allows it', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'http://key@sentry.invalid/1' })
    const lab = { 'x-waystation-lab': '1' }
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, lab)
    expect((await client(collector).envelope(1))?.deliveryStatus).toEqual({ name: 'kept', reason: 'lab' })
    expect((await client(collector).losses()).sentence).toBe('error: made 1, kept 1, lost 0')
    await client(collector).setLabRelay(true)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, lab)
    expect((await client(collector).envelope(await newestSeq(collector)))?.deliveryStatus.name).toBe('pending')
  })
})
