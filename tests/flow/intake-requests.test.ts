import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import { type CollectorProcess, digested, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope } from './envelopes'

let upstream: StandIn
let collector: CollectorProcess
beforeAll(async () => {
  upstream = await startStandIn()
  collector = await relaying()
})
afterAll(async () => {
  endCollectors()
  await upstream.close()
})

const relaying = (env: Record<string, string> = {}) =>
  startCollector({ WAYSTATION_UPSTREAM: formatDsn(upstream.dsn), ...env })
const KEY = 'sentry_key=local&sentry_version=7'

/** Sends with any Host, which `fetch` does not allow. */
function statusOf(to: string, headers: Record<string, string>, method = 'GET', body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(to, { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Sends with a unique User-Agent, and resolves with the answer and the relayed post. */
async function relayed(path: string, body: string, headers: Record<string, string> = {}) {
  const agent = `test/${randomUUID()}`
  const response = await fetch(`${collector.url}${path}`, {
    method: 'POST',
    body,
    headers: { ...headers, 'user-agent': agent },
  })
  expect(response.status).toBe(200)
  for (;;) {
    const next = upstream.nextPost()
    const post = upstream.received().find((one) => one.headers['user-agent'] === agent)
    if (post !== undefined) return { answer: (await response.json()) as { id?: string }, post }
    await next
  }
}

describe('a HEAD request', () => {
  it.each([
    ['/health/live', 200],
    ['/health/ready', 200],
    ['/query/overview', 200],
    ['/query/envelopes', 200],
    ['/query/envelopes/999999', 404],
    ['/query/stream', 200],
    ['/nothing', 404],
    [`/api/1/store/?${KEY}&sentry_data=none`, 400],
  ])('is answered as GET, without a body: %s', async (path, status) => {
    const answer = async () => {
      const response = await fetch(`${collector.url}${path}`, { method: 'HEAD' })
      return [response.status, await response.text()]
    }
    // On a busy machine a collector is not ready while a synced write takes long.
    await expect.poll(answer).toEqual([status, ''])
  })

  it('HEAD of the stream opens no stream', async () => {
    for (let n = 0; n < 300; n += 1) await fetch(`${collector.url}/query/stream`, { method: 'HEAD' })
    const wait = await fetch(`${collector.url}/query/journal?after=0&wait=1`)
    expect(wait.status).toBe(200)
  })

  it('a HEAD request stores the event in its address, as GET does', async () => {
    const eventId = randomUUID().replaceAll('-', '')
    const data = encodeURIComponent(JSON.stringify({ event_id: eventId, message: 'by HEAD' }))
    const { envelopes } = collectorClient(collector.url, fetch)
    const before = (await envelopes({ limit: 1 })).envelopes[0]?.seq ?? 0
    const response = await fetch(`${collector.url}/api/1/store/?${KEY}&sentry_data=${data}`, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif'])
    expect((await envelopes({ limit: 1 })).envelopes[0]).toMatchObject({ seq: before + 1, endpoint: 'store' })
  })
})

describe('a path with double slashes', () => {
  it.each(['//api/1/envelope/', '/api//1/envelope//', '//tunnel'])(
    'is the same as with single ones: %s',
    async (path) => {
      const { body, eventId } = errorEnvelope(collector.dsn)
      const { answer, post } = await relayed(path, body)
      expect(answer).toEqual({ id: eventId })
      expect(post.path).toBe('/api/1/envelope/')
    },
  )

  it('is guarded as with single ones', async () => {
    const foreign = { origin: 'https://evil.test' }
    for (const [path, method] of [
      ['//query/overview', 'GET'],
      ['/query//overview', 'GET'],
      ['//tunnel', 'POST'],
      ['//control//clear', 'POST'],
    ] as const)
      expect((await fetch(`${collector.url}${path}`, { method, headers: foreign })).status, path).toBe(403)
    expect((await fetch(`${collector.url}//query//overview`)).status).toBe(200)
  })
})

describe('a name below localhost', () => {
  it.each([
    ['shop.localhost', 200],
    ['SHOP.localhost:8969', 200],
    ['localhost.evil.test', 403],
    ['evillocalhost', 403],
  ])('the collector answers a request with Host %s with %i', async (host, status) => {
    expect(await statusOf(`${collector.url}/query/overview`, { host })).toBe(status)
  })

  it('may send', async () => {
    const { body } = errorEnvelope(collector.dsn)
    expect((await postEnvelope(collector, body, { origin: 'http://shop.localhost:3000' })).status).toBe(200)
    expect((await postEnvelope(collector, body, { origin: 'http://localhost.evil.test' })).status).toBe(403)
  })
})

it('an Origin of null is refused, and admitted with WAYSTATION_NULL_ORIGIN=on', async () => {
  const { body } = errorEnvelope(collector.dsn)
  expect((await postEnvelope(collector, body, { origin: 'null' })).status).toBe(403)
  const open = await startCollector({ WAYSTATION_NULL_ORIGIN: 'on' })
  const admitted = await postEnvelope(open, body, { origin: 'null' })
  expect([admitted.status, admitted.headers.get('access-control-allow-origin')]).toEqual([200, 'null'])
  expect((await postEnvelope(open, body, { origin: 'https://evil.test' })).status).toBe(403)
  const read = await fetch(`${open.url}/query/overview`, { headers: { origin: 'null' } })
  expect(read.status).toBe(403)
})

describe('the auth header upstream', () => {
  const AUTH = (rest: string) => `Sentry sentry_key=local, ${rest}`

  it.each([
    [
      'of the header',
      '/api/1/envelope/',
      { 'x-sentry-auth': 'Sentry sentry_version=6, sentry_client=raven-python/5.1, sentry_key=local' },
      'sentry_version=6, sentry_client=raven-python/5.1',
    ],
    [
      'of the query',
      '/api/1/envelope/?sentry_key=local&sentry_version=7&sentry_client=sentry.javascript.browser%2F11.8.0',
      {},
      'sentry_version=7, sentry_client=sentry.javascript.browser/11.8.0',
    ],
    [
      'of Authorization',
      '/api/1/envelope/',
      { authorization: 'Sentry sentry_key=local, sentry_client="sentry-go/0.30"' },
      'sentry_version=7, sentry_client=sentry-go/0.30',
    ],
    ['without any', '/tunnel', {}, 'sentry_version=7, sentry_client=waystation/1'],
    [
      'that is malformed',
      '/api/1/envelope/?sentry_key=local&sentry_client=a,sentry_key%3Dother%0A',
      {},
      'sentry_version=7, sentry_client=waystation/1',
    ],
  ])('has client and version of the sender: %s', async (_name, path, headers, expected) => {
    const { post } = await relayed(path, errorEnvelope(collector.dsn).body, headers as Record<string, string>)
    expect(post.headers['x-sentry-auth']).toBe(AUTH(expected))
  })
})

describe('an event without an id', () => {
  it.each([
    ['in an envelope', '/tunnel', () => `{"dsn":"${collector.dsn}"}\n{"type":"event"}\n{"message":"nameless"}`],
    ['with a key in the query', `/api/1/envelope/?${KEY}`, () => '{}\n{"type":"event"}\n{"message":"nameless"}'],
    ['of an old SDK', `/api/1/store/?${KEY}`, () => '{"message":"nameless"}'],
    ['of an old SDK, encoded', `/api/1/store/?${KEY}`, () => btoa('{"message":"nameless"}')],
  ])('is answered the id that is stored, shown and relayed: %s', async (_name, path, body) => {
    const client = collectorClient(collector.url, fetch)
    const { answer, post } = await relayed(path, body())
    const id = answer.id ?? ''
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    const { envelopes } = await client.envelopes({ limit: 1 })
    await digested(collector, envelopes[0]?.seq ?? 0)
    expect((await client.event(id))?.title).toBe('nameless')
    const raw = await (await fetch(`${collector.url}/query/envelopes/${envelopes[0]?.seq}?raw`)).text()
    expect(raw).toContain(`"event_id":"${id}"`)
    expect(Buffer.from(post.body).toString()).toBe(raw)
  })

  it('has the same id when the tunnel sends it again, and another one in another envelope', async () => {
    const body = `{"dsn":"${collector.dsn}"}\n{"type":"event"}\n{"message":"again"}`
    const idOf = async (receipt: string, sent = body) =>
      ((await (await postEnvelope(collector, sent, { 'x-waystation-receipt': receipt })).json()) as { id: string }).id
    const receipt = randomUUID()
    const id = await idOf(receipt)
    expect(await idOf(receipt)).toBe(id)
    expect(await idOf(randomUUID())).not.toBe(id)
    expect(await idOf(receipt, body.replace('again', 'other'))).not.toBe(id)
  })

  it('the answer has the id of the payload, and the bytes stay the same', async () => {
    const id = randomUUID().replaceAll('-', '')
    const body = `{"dsn":"${collector.dsn}"}\n{"type":"event"}\n{"event_id":"${id}"}`
    const { answer, post } = await relayed('/tunnel', body)
    expect(answer).toEqual({ id })
    expect(Buffer.from(post.body).toString()).toBe(body)
  })
})

describe("telemetry of Waystation's own app", () => {
  const own = { 'x-waystation-own': '1' }
  const statusAfter = async (to: CollectorProcess, headers: Record<string, string>) => {
    await postEnvelope(to, errorEnvelope(to.dsn).body, headers)
    const { envelopes } = await collectorClient(to.url, fetch).envelopes({ limit: 1, filter: { own: 'show' } })
    return envelopes[0]?.deliveryStatus
  }

  it('is kept, and relayed with WAYSTATION_RELAY_OWN=on', async () => {
    expect(await statusAfter(collector, own)).toEqual({ name: 'kept', reason: 'own_app' })
    expect((await statusAfter(await relaying({ WAYSTATION_RELAY_OWN: 'on' }), own))?.name).not.toBe('kept')
  })

  it('is known by its mark alone', async () => {
    expect((await statusAfter(collector, {}))?.name).not.toBe('kept')
    expect((await statusAfter(collector, { 'x-waystation-own': 'yes' }))?.name).not.toBe('kept')
  })

  it('telemetry of the lab is not kept on this machine', async () => {
    expect((await statusAfter(collector, { ...own, 'x-waystation-lab': '1' }))?.name).not.toBe('kept')
  })
})
