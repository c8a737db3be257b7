import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { type CollectorProcess, endCollectors, factAfter, startCollector } from './collector-process'

let collector: CollectorProcess
beforeAll(async () => {
  collector = await startCollector()
})
afterAll(endCollectors)

const overview = () => collectorClient(collector.url, fetch).overview()
const refusalOf = async (reason: string) => (await overview()).refusals.find((one) => one.reason === reason)
const countOf = async (reason: string) => (await refusalOf(reason))?.envelopes ?? 0
const pathsOf = async (reason: string) =>
  new Map((await refusalOf(reason))?.paths?.map(({ path, envelopes }) => [path, envelopes]))

const PAGE = { origin: 'http://localhost:4000' }

describe('an address with the shape of a DSN that nothing serves', () => {
  it.each([
    ['POST', '/api/1/envelop/', 'POST /api/1/envelop/'],
    ['GET', '/api/1/envelope/', 'GET /api/1/envelope/'],
    ['PUT', '/api/17/items/3?sentry_key=secret', 'PUT /api/17/items/3'],
    ['POST', '/prefix/api/1/envelope/', 'POST /prefix/api/1/envelope/'],
    ['POST', '/api/1/things/e7e61c49bce441e98fb7dfb591bbfc26/', 'POST /api/1/things/{id}/'],
    ['POST', '/api/1/%3Cscript%3E/%0A', 'POST /api/1/?script?/?'],
    ['POST', `/api/1/${'x'.repeat(200)}`, `POST /api/1/${'x'.repeat(72)}…`],
  ])('is answered 404 with a sentence and counted with its path: %s %s', async (method, path, line) => {
    const before = await pathsOf('unknown_endpoint')
    const count = await countOf('unknown_endpoint')
    const response = await fetch(`${collector.url}${path}`, { method, headers: PAGE })
    expect(response.status).toBe(404)
    const { detail } = (await response.json()) as { detail: string }
    expect(detail).toMatch(/^Waystation does not serve .*, so nothing is stored; docs\/reference\/routes.md/)
    expect(response.headers.get('x-sentry-error')).not.toBeNull()
    expect(await countOf('unknown_endpoint')).toBe(count + 1)
    expect((await pathsOf('unknown_endpoint')).get(line)).toBe((before.get(line) ?? 0) + 1)
  })

  it('is a loss at the endpoint', async () => {
    await fetch(`${collector.url}/api/1/lost/`, { method: 'POST' })
    const { losses } = await collectorClient(collector.url, fetch).losses()
    expect(losses).toContainEqual(expect.objectContaining({ by: 'endpoint', reason: 'unknown_endpoint' }))
  })

  it('can be read by the page that sent to it', async () => {
    const response = await fetch(`${collector.url}/api/1/lost/`, { method: 'POST', headers: PAGE })
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE.origin)
  })

  it('is not any other unknown address, which is answered 404 and not counted', async () => {
    const before = (await overview()).counts.refused
    for (const path of ['/nothing', '/api', '/query/nothing', '/favicon.ico'])
      expect((await fetch(`${collector.url}${path}`, { method: 'POST' })).status, path).toBe(404)
    expect((await overview()).counts.refused).toBe(before)
  })
})

describe("an endpoint of Sentry's that Waystation does not have", () => {
  it.each([
    ['POST', '/api/1/upload/', /resumable uploads/],
    ['PATCH', '/api/1/upload/some-file/', /resumable uploads/],
    ['POST', '/api/1/playstation/', /PlayStation/],
    ['POST', '/api/1/playstation', /PlayStation/],
    ['GET', '/api/embed/error-page/?dsn=x&eventId=y', /crash-report dialog/],
    ['POST', '/api/embed/error-page/', /crash-report dialog/],
  ])('is answered 501 with a sentence, readable by pages, and counted: %s %s', async (method, path, sentence) => {
    const count = await countOf('unsupported_endpoint')
    const response = await fetch(`${collector.url}${path}`, { method, headers: PAGE })
    expect(response.status).toBe(501)
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE.origin)
    expect(((await response.json()) as { detail: string }).detail).toMatch(sentence)
    expect(await countOf('unsupported_endpoint')).toBe(count + 1)
    expect((await pathsOf('unsupported_endpoint')).has(`${method} ${path.replace(/\?.*/, '')}`)).toBe(true)
  })

  it('lets pages ask for the headers of a resumable upload', async () => {
    const preflight = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'tus-resumable' }
    const response = await fetch(`${collector.url}/api/1/upload/`, {
      method: 'OPTIONS',
      headers: { ...PAGE, ...preflight },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(response.headers.get('access-control-allow-headers')).toContain('tus-resumable')
  })

  it('is refused to pages of other sites', async () => {
    const foreign = { origin: 'https://evil.test' }
    const response = await fetch(`${collector.url}/api/1/upload/`, { method: 'POST', headers: foreign })
    expect(response.status).toBe(403)
  })
})

describe('a client that breaks off within its body', () => {
  const KEY = '/api/1/envelope/?sentry_key=local'

  it.each([
    ['with a length', KEY, { 'content-length': '1000' }],
    ['in chunks', KEY, { 'transfer-encoding': 'chunked' }],
    ['to the tunnel', '/tunnel', { 'content-length': '1000' }],
    [
      'to the endpoint of OpenTelemetry',
      '/v1/traces',
      { 'content-length': '1000', 'content-type': 'application/json' },
    ],
  ])('is counted: %s', async (_name, path, headers) => {
    const { journal } = await overview()
    const count = await countOf('aborted')
    const sender = request(`${collector.url}${path}`, { method: 'POST', headers })
    sender.on('error', () => undefined)
    sender.write('{"dsn":')
    sender.flushHeaders()
    await once(sender, 'socket')
    if (sender.socket?.connecting === true) await once(sender.socket, 'connect')
    // Two writes: the request has arrived before its end does.
    await new Promise((resolve) => sender.write('"x"', resolve))
    sender.destroy()
    await factAfter(collector, 'refused', journal)
    expect(await countOf('aborted')).toBe(count + 1)
  })

  it('the collector answers and counts a malformed chunk', async () => {
    const { journal } = await overview()
    const count = await countOf('aborted')
    const socket = connect(Number(new URL(collector.url).port), '127.0.0.1')
    socket.write(`POST ${KEY} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nno chunk\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /)
    await factAfter(collector, 'refused', journal)
    expect(await countOf('aborted')).toBe(count + 1)
    socket.destroy()
  })
})
