import { readFileSync } from 'node:fs'
import { Agent, createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localTunnel, nodeHandler } from '../../lib/tunnel/local-tunnel'
import { createTunnel, type TunnelOptions } from '../../lib/tunnel/tunnel'
import { type RecordingCollector, startCollector } from '../unit/tunnel/recording-collector'

const browserError = readFileSync(new URL('../fixtures/sdk-11.8-browser-error.envelope', import.meta.url))
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface Reply {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends raw HTTP, because `fetch` forbids some of these headers and methods. */
function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  chunks: Iterable<Uint8Array>,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        body += text
      })
      response.on('end', () => {
        resolve({ status: response.statusCode, headers: response.headers, body })
        request.destroy()
      })
    })
    request.on('error', reject)
    for (const chunk of chunks) request.write(chunk)
    request.end()
  })
}

describe('the tunnel, mounted in a plain http server', () => {
  let collector: RecordingCollector
  const closing: (() => unknown)[] = []
  beforeEach(async () => {
    collector = await startCollector()
    closing.push(collector.close)
  })
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  async function mount(options: Partial<TunnelOptions> = {}): Promise<string> {
    const tunnel = createTunnel({
      collectorUrl: collector.url,
      accepts: ({ publicKey, projectId }) => publicKey === 'publickey' && projectId === '42',
      lifeboat: null,
      ...options,
    })
    const server = createServer(nodeHandler(tunnel))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    )
    const address = server.address() as AddressInfo
    return `http://127.0.0.1:${address.port}/tunnel`
  }

  it("forwards a browser's envelope to the collector's /tunnel, byte for byte", async () => {
    const url = await mount()
    const reply = await send(url, 'POST', { 'content-type': 'text/plain;charset=UTF-8' }, [browserError])
    expect(reply).toMatchObject({ status: 200, body: '{"id":"stored"}' })
    expect(reply.headers['content-type']).toBe('application/json')
    expect(collector.received).toHaveLength(1)
    const [received] = collector.received
    expect(received).toMatchObject({ method: 'POST', url: '/tunnel' })
    expect(received?.body.equals(browserError)).toBe(true)
    expect(received?.headers['content-length']).toBe(String(browserError.byteLength))
  })

  it('marks only its own server and its own pages, and only with the option isOwnPage', async () => {
    const isOwnPage = (origin: string | null) => origin === 'http://localhost:1'
    const url = await mount({ isOwnPage })
    const marks = async (headers: Record<string, string>, to = url) => {
      await send(to, 'POST', headers, [browserError])
      return collector.received.at(-1)?.headers['x-waystation-own']
    }
    expect(await marks({ origin: 'http://localhost:1' })).toBe('1')
    expect(await marks({ origin: 'http://localhost:2', 'x-waystation-own': '1' })).toBeUndefined()
    expect(await marks({ 'x-waystation-own': '1' })).toBeUndefined()
    expect(await marks({ origin: 'http://localhost:1' }, await mount())).toBeUndefined()

    const accepts = () => true
    const server = createTunnel({ collectorUrl: collector.url, accepts, lifeboat: null, isOwnPage })
    await server.send(browserError)
    expect(collector.received.at(-1)?.headers['x-waystation-own']).toBe('1')
  })

  it('forwards browser headers and a new receipt, and no credentials', async () => {
    const url = await mount()
    const passed = {
      'content-type': 'application/x-sentry-envelope',
      'content-encoding': 'gzip',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)',
      origin: new URL(url).origin,
      'sec-ch-ua-platform': '"Linux"',
      'x-waystation-page': 'page-1',
      'x-waystation-lab': '1',
    }
    await send(
      url,
      'POST',
      {
        ...passed,
        cookie: 'session=secret; waystation-stamp=stamp-1',
        authorization: 'Bearer secret',
        'x-forwarded-for': '203.0.113.9',
        'x-waystation-receipt': 'of-the-sender',
        'x-anything': 'else',
      },
      [gzipSync(browserError)],
    )
    const [received] = collector.received
    const headers: IncomingHttpHeaders = received?.headers ?? {}
    expect(headers).toMatchObject({ ...passed, 'x-waystation-stamp': 'stamp-1' })
    expect(received?.body.equals(gzipSync(browserError))).toBe(true)
    expect(headers['x-waystation-receipt']).toMatch(UUID)
    const ofTheConnection = [
      'accept',
      'accept-encoding',
      'accept-language',
      'connection',
      'content-length',
      'host',
      'cache-control',
      'pragma',
    ]
    const known = [
      ...Object.keys(passed),
      'x-waystation-stamp',
      'x-waystation-receipt',
      'sec-fetch-mode',
      ...ofTheConnection,
    ]
    expect(Object.keys(headers).filter((name) => !known.includes(name))).toEqual([])
  })

  it('reports an invalid stamp in a note', async () => {
    const reply = await send(await mount(), 'POST', { cookie: 'waystation-stamp=two words' }, [browserError])
    expect(reply.headers['x-waystation-note']).toContain('two words is not a stamp')
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])(
    'answers %s with 405 and what is allowed',
    async (method) => {
      const reply = await send(await mount(), method, {}, [])
      expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST' } })
      expect(collector.received).toHaveLength(0)
    },
  )

  it('refuses a page of a foreign origin without waiting for its body', async () => {
    const url = await mount()
    const reply = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { origin: 'https://evil.test', 'content-length': '1000' }
      const request = httpRequest(url, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode)
        request.destroy()
      })
      request.on('error', reject)
      request.flushHeaders()
    })
    expect(reply).toBe(403)
    expect(collector.received).toHaveLength(0)
  })

  it('leaves the connection of a refused page usable', async () => {
    const url = await mount()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    closing.push(() => agent.destroy())
    const statusOf = (origin: string, body: Uint8Array) =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = httpRequest(url, { method: 'POST', headers: { origin }, agent }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode))
        })
        request.on('error', reject)
        request.end(body)
      })
    expect(await statusOf('https://evil.test', Buffer.alloc(1_000_000))).toBe(403)
    expect(await statusOf(new URL(url).origin, browserError)).toBe(200)
  })

  it('accepts exactly 20 MiB and answers 413 to one more byte, with or without Content-Length', async () => {
    const url = await mount()
    const cap = 20 * 1024 * 1024
    const envelope = Buffer.concat([browserError, Buffer.alloc(cap - browserError.byteLength, 'a')])
    expect(await send(url, 'POST', {}, [envelope])).toMatchObject({ status: 200 })
    expect(collector.received[0]?.body.equals(envelope)).toBe(true)
    const above = [envelope, Buffer.from('b')]
    expect(await send(url, 'POST', {}, above)).toMatchObject({ status: 413 })
    expect(await send(url, 'POST', { 'content-length': String(cap + 1) }, above)).toMatchObject({ status: 413 })
    expect(collector.received).toHaveLength(1)
  })

  it('explains each refusal', async () => {
    const url = await mount({ maxBytes: 10_000 })
    const refusals: [number, Record<string, string>, string][] = [
      [400, {}, ''],
      [400, {}, 'hello'],
      [400, {}, '{"event_id":"1"}\n'],
      [400, { 'content-encoding': 'gzip' }, 'hello'],
      [403, {}, '{"dsn":"http://other@127.0.0.1:9999/42"}\n'],
      [413, {}, 'x'.repeat(10_001)],
      [415, { 'content-encoding': 'zstd' }, 'hello'],
    ]
    for (const [status, headers, body] of refusals) {
      const reply = await send(url, 'POST', headers, [Buffer.from(body)])
      expect(reply.status).toBe(status)
      const problem: unknown = JSON.parse(reply.body)
      expect(problem).toEqual({ detail: expect.any(String), causes: expect.any(Array) })
      expect(reply.headers['x-sentry-error']).not.toBe('')
    }
    expect(collector.received).toHaveLength(0)
  })

  it('accepts only key and project of the DSN of localTunnel', async () => {
    const tunnel = localTunnel({ dsn: `http://publickey@127.0.0.1:${collector.port}/42` })
    const post = (body: string | Uint8Array) =>
      tunnel.handle(new Request('http://app.test/tunnel', { method: 'POST', body: Buffer.from(body) }))
    expect((await post(browserError)).status).toBe(200)
    expect((await post('{"dsn":"http://publickey@127.0.0.1:9999/43"}\n')).status).toBe(403)
    expect(collector.received).toHaveLength(1)
  })
})

describe('createTunnel', () => {
  const good = { collectorUrl: 'http://127.0.0.1:8969', accepts: () => true, lifeboat: null }
  it('throws a TypeError with the valid format for invalid options', () => {
    expect(() => createTunnel({ ...good, collectorUrl: '127.0.0.1:8969' })).toThrow(/must be an address/)
    expect(() => createTunnel({ ...good, collectorUrl: 'http://key@127.0.0.1:8969' })).toThrow(/more than an origin/)
    expect(() => createTunnel({ ...good, lifeboat: { folder: 'data/lifeboat' } })).toThrow(/absolute path/)
    expect(() => localTunnel({ dsn: 'nonsense' })).toThrow(/a DSN looks like/)
  })
})
