import { randomUUID } from 'node:crypto'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import { rawZstd } from '../unit/intake/zstd-frames'
import { type CollectorProcess, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope } from './envelopes'

const ID = 'e7e61c49bce441e98fb7dfb591bbfc26'
const event = JSON.stringify({ event_id: ID, message: 'from an old client: ü', platform: 'javascript' })
const base64 = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('base64')
const report = JSON.stringify({
  'csp-report': { 'document-uri': 'https://app.test/', 'violated-directive': 'img-src' },
})

let upstream: StandIn
let collector: CollectorProcess
beforeAll(async () => {
  upstream = await startStandIn()
  collector = await startCollector({ WAYSTATION_UPSTREAM: formatDsn(upstream.dsn) })
})
afterAll(async () => {
  endCollectors()
  await upstream.close()
})

const send = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${collector.url}${path}`, { method: 'POST', body: body as string, headers })
const KEY = 'sentry_key=local&sentry_version=7'
const AUTH = { 'x-sentry-auth': 'Sentry sentry_version=5, sentry_client=raven/0.12, sentry_key=local' }

/** Sends with a unique User-Agent, and resolves with the relayed post. */
async function relayed(work: (agent: Record<string, string>) => Promise<Response>) {
  const agent = `test/${randomUUID()}`
  const response = await work({ 'user-agent': agent })
  expect(response.status).toBe(200)
  for (;;) {
    const next = upstream.nextPost()
    const post = upstream.received().find(({ headers }) => headers['user-agent'] === agent)
    if (post !== undefined) return { response, post }
    await next
  }
}

describe('a bare event of an old SDK', () => {
  it.each([
    ['as JSON', `/api/1/store/?${KEY}`, event, { 'content-type': 'text/plain;charset=UTF-8' }],
    [
      'as base64 of zlib',
      '/api/1/store',
      base64(deflateSync(event)),
      { ...AUTH, 'content-type': 'application/octet-stream' },
    ],
    ['as base64 of JSON', '/api/1/store/', base64(event), AUTH],
    ['without a content type', `/api/1/store/?${KEY}`, Buffer.from(event), {}],
    ['to an address without a project', `/api/store/?${KEY}`, event, {}],
    ['to an address without a project and a trailing slash', '/api/store', event, AUTH],
  ])('%s is stored and relayed byte for byte to the store endpoint', async (_name, path, body, headers) => {
    const { response, post } = await relayed((agent) => send(path, body, { ...agent, ...headers }))
    expect(await response.json()).toEqual({ id: ID })
    expect(post.path).toBe('/api/1/store/')
    expect(Buffer.from(post.body).equals(Buffer.from(body))).toBe(true)
  })

  it.each([
    ['JSON', event],
    ['base64 of zlib', base64(deflateSync(event))],
  ])('an event in the address of an image, as %s, gets an image of one pixel', async (_name, data) => {
    const address = `/api/1/store/?${KEY}&sentry_data=${encodeURIComponent(data)}`
    const { response, post } = await relayed((headers) => fetch(`${collector.url}${address}`, { headers }))
    expect(response.headers.get('content-type')).toBe('image/gif')
    const gif = Buffer.from(await response.arrayBuffer())
    expect([gif.subarray(0, 6).toString('latin1'), gif.readUInt16LE(6), gif.readUInt16LE(8)]).toEqual(['GIF89a', 1, 1])
    expect(Buffer.from(post.body).toString()).toBe(data)
  })

  it('is decoded and listed as an event', async () => {
    const client = collectorClient(collector.url, fetch)
    const eventId = randomUUID().replaceAll('-', '')
    await send(`/api/1/store/?${KEY}`, base64(deflateSync(event.replace(ID, eventId))))
    await expect.poll(async () => (await client.event(eventId))?.title).toBe('from an old client: ü')
  })

  it('a page of another site cannot send an event in the address of an image, although it sends no Origin', async () => {
    const address = `${collector.url}/api/1/store/?${KEY}&sentry_data=${encodeURIComponent(event)}`
    const from = (headers: Record<string, string>) => fetch(address, { headers })
    const crossSite = { 'sec-fetch-site': 'cross-site' }
    expect((await from({ ...crossSite, referer: 'https://evil.test/page' })).status).toBe(403)
    expect((await from(crossSite)).status).toBe(403)
    expect((await from({ ...crossSite, referer: 'http://localhost:4000/' })).status).toBe(200)
  })

  it('a bare event with the content type of an envelope is relayed as an envelope', async () => {
    const { body, eventId } = errorEnvelope(collector.dsn)
    const { response, post } = await relayed((agent) =>
      send(`/api/1/store/?${KEY}`, body, { ...agent, 'content-type': 'application/x-sentry-envelope' }),
    )
    expect(await response.json()).toEqual({ id: eventId })
    expect(post.path).toBe('/api/1/envelope/')
    expect(Buffer.from(post.body).toString()).toBe(body)
  })

  it.each([
    ['without an event', `/api/1/store/?${KEY}`, 400],
    ['with an invalid event', `/api/1/store/?${KEY}&sentry_data=none`, 400],
    ['without a key', `/api/1/store/?sentry_data=${encodeURIComponent(event)}`, 401],
    ['without a key and project', `/api/store/?sentry_data=${encodeURIComponent(event)}`, 401],
    ['with an unknown key', `/api/store/?sentry_key=other&sentry_data=${encodeURIComponent(event)}`, 403],
  ])('the collector refuses an event in an address %s', async (_name, path, status) => {
    const response = await fetch(`${collector.url}${path}`)
    expect(response.status).toBe(status)
    expect(response.headers.get('x-sentry-error')).not.toBeNull()
  })

  it('is accepted with any key when local only, and belongs to project 1 if its address has no project', async () => {
    const alone = await startCollector()
    const posted = await fetch(`${alone.url}/api/store/?sentry_key=anyone`, { method: 'POST', body: event })
    expect(posted.status).toBe(200)
    const { envelopes } = await collectorClient(alone.url, fetch).envelopes({ limit: 1 })
    expect(envelopes[0]).toMatchObject({ project: '1', publicKey: 'anyone' })
  })
})

describe('a security report of a browser', () => {
  it.each([
    ['/api/1/security/', 'application/csp-report'],
    ['/api/1/security', 'application/json'],
    ['/api/1/csp-report/', 'application/csp-report; charset=utf-8'],
    ['/api/1/csp-report', 'Application/Reports+JSON'],
    ['/api/1/security/', 'application/expect-ct-report'],
    ['/api/1/security/', 'application/expect-ct-report+json'],
    ['/api/1/security/', 'application/expect-staple-report'],
  ])('the collector stores a report to %s as %s and relays it with its release and environment', async (path, type) => {
    const query = 'sentry_key=local&sentry_release=app%401&sentry_environment=dev'
    const { response, post } = await relayed((agent) =>
      send(`${path}?${query}`, report, { ...agent, 'content-type': type }),
    )
    expect(await response.json()).toEqual({})
    expect(post.path).toBe(`/api/1/security/?${query}`)
    expect(post.headers['content-type']).toBe(type)
    expect(post.headers).not.toHaveProperty('x-sentry-auth')
    expect(Buffer.from(post.body).toString()).toBe(report)
  })

  it('is one item of the category security', async () => {
    await send('/api/1/security/?sentry_key=local', `[${report}]`, { 'content-type': 'application/reports+json' })
    const { envelopes } = await collectorClient(collector.url, fetch).envelopes({ limit: 1 })
    expect(envelopes[0]).toMatchObject({ endpoint: 'security' })
    const envelope = await collectorClient(collector.url, fetch).envelope(envelopes[0]?.seq ?? 0)
    expect(envelope?.items).toMatchObject([{ type: 'raw_security', category: 'security' }])
  })

  it.each([
    ['of another type', '?sentry_key=local', report, 'text/plain', 415],
    ['without a type', '?sentry_key=local', Buffer.from(report), '', 415],
    ['without a key', '', report, 'application/csp-report', 401],
    ['that is not JSON', '?sentry_key=local', 'csp', 'application/csp-report', 400],
    ['of another project', '?sentry_key=other', report, 'application/csp-report', 403],
  ])('%s is refused', async (_name, query, body, type, status) => {
    const response = await send(`/api/1/security/${query}`, body, type === '' ? {} : { 'content-type': type })
    expect(response.status).toBe(status)
    expect((await response.json()) as object).toMatchObject({ detail: expect.stringMatching(/\w+ \w+/) })
  })

  it('is refused to a page whose origin is not allowed', async () => {
    const path = '/api/1/security/?sentry_key=local'
    const type = { 'content-type': 'application/csp-report' }
    expect((await send(path, report, { ...type, origin: 'https://evil.test' })).status).toBe(403)
    expect((await send(path, report, { ...type, origin: 'null' })).status).toBe(403)
    expect((await send(path, report, { ...type, origin: 'http://localhost:4000' })).status).toBe(200)
  })
})

describe('every intake endpoint', () => {
  const PATHS = [
    '/api/1/envelope',
    '/api/1/store',
    '/api/store',
    '/api/1/security',
    '/api/1/csp-report',
    '/tunnel',
    '/stream',
  ]

  it.each(PATHS.flatMap((path) => [path, `${path}/`]))('refuses pages of other sites: %s', async (path) => {
    expect((await send(path, event, { origin: 'https://evil.test' })).status).toBe(403)
    const open = await send(path, event, { origin: 'http://localhost:4000' })
    expect(open.headers.get('access-control-allow-origin')).toBe('http://localhost:4000')
    expect(open.status).not.toBe(404)
  })
})

describe('a content encoding', () => {
  const { body, eventId } = errorEnvelope('http://local@127.0.0.1/1')
  const CODED = [
    ['gzip', gzipSync(body)],
    ['x-gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['deflate', deflateRawSync(body)],
    ['br', brotliCompressSync(body)],
    ['zstd', rawZstd(Buffer.from(body))],
    ['UTF-8', Buffer.from(body)],
    ['none of ours', Buffer.from(body)],
  ] as const

  it.each(CODED)('%s is decoded, and the decoded body is relayed byte for byte', async (coding, wire) => {
    const { response, post } = await relayed((agent) => send('/tunnel', wire, { ...agent, 'content-encoding': coding }))
    expect(await response.json()).toEqual({ id: eventId })
    expect(Buffer.from(post.body).toString()).toBe(body)
    expect(post.headers).not.toHaveProperty('content-encoding')
  })

  it('may arrive in chunks, without a Content-Length', async () => {
    const wire = rawZstd(Buffer.from(body))
    const init = (agent: Record<string, string>): RequestInit & { readonly duplex: 'half' } => ({
      method: 'POST',
      headers: { ...agent, 'content-encoding': 'zstd' },
      body: new ReadableStream<Uint8Array>({
        start: (stream) => {
          for (let at = 0; at < wire.length; at += 100) stream.enqueue(wire.subarray(at, at + 100))
          stream.close()
        },
      }),
      duplex: 'half',
    })
    const { response } = await relayed((agent) => fetch(`${collector.url}/tunnel`, init(agent)))
    expect(await response.json()).toEqual({ id: eventId })
  })

  it('the collector decodes a body of 3 MiB completely', async () => {
    const large = `{"dsn":"${collector.dsn}"}\n{"type":"attachment"}\n${'0123456789abcdef'.repeat(3 * 65_536)}`
    for (const [coding, wire] of [
      ['zstd', rawZstd(Buffer.from(large))],
      ['br', brotliCompressSync(large)],
    ] as const) {
      const { post } = await relayed((agent) => postEnvelope(collector, wire, { ...agent, 'content-encoding': coding }))
      expect(Buffer.from(post.body).toString() === large).toBe(true)
    }
  })
})
