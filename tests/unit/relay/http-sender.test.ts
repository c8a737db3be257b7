import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type SendRequest, withoutAddress } from '../../../collector/relay/http-sender'
import { failing, send, serve, servers, to } from './posting'

describe('a post', () => {
  it('sends the bytes with their length, and returns status, headers and the beginning of the answer', async () => {
    const seen: string[] = []
    const { url } = await serve((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers['content-length']}`)
      request.on('data', (piece: Buffer) => seen.push(piece.toString()))
      response.writeHead(429, { 'Retry-After': '7', 'X-Sentry-Rate-Limits': '60:error:key' })
      response.end('slow down')
    })
    const answer = await send(to(url))
    expect(answer.status).toBe(429)
    expect(answer.headers).toMatchObject({ 'retry-after': '7', 'x-sentry-rate-limits': '60:error:key' })
    expect(Buffer.from(answer.bytes).toString()).toBe('slow down')
    expect(seen).toEqual(['POST /api/1/envelope/ 3', '{}\n'])
  })

  it('sends a large body with its length, not chunked', async () => {
    const seen: string[] = []
    const { url } = await serve((request, response) => {
      const hash = createHash('sha256')
      request.on('data', (piece: Buffer) => hash.update(piece))
      request.on('end', () => {
        const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
        seen.push(`${length} ${encoding} ${hash.digest('hex')}`)
        response.end()
      })
    })
    const body = Uint8Array.from({ length: 3_000_001 }, (_, at) => at % 251)
    expect((await send(to(url, { body }))).status).toBe(200)
    expect(seen).toEqual([`3000001 undefined ${createHash('sha256').update(body).digest('hex')}`])
  })

  it.each(['127.0.0.1', '::1'])('sends the host %s and the whole path and query', async (host) => {
    const seen: string[] = []
    const { url } = await serve((request, response) => {
      const { connection } = request.headers
      seen.push(`${request.headers.host} ${request.url} ${request.headers['user-agent']} ${connection}`)
      response.end()
    }, host)
    await send(to(`${url}?sentry_key=a%20b`, { headers: { 'user-agent': 'one' } }))
    expect(seen).toEqual([`${new URL(url).host} /api/1/envelope/?sentry_key=a%20b one keep-alive`])
  })

  it('replaces characters that are invalid in headers by question marks', async () => {
    const seen: (string | undefined)[] = []
    const { url } = await serve((request, response) => {
      seen.push(request.headers['user-agent'])
      response.end()
    })
    for (let time = 0; time < 3; time += 1) await send(to(url, { headers: { 'user-agent': 'a\u0100\nb\u00e9' } }))
    expect(seen).toEqual(['a??b\u00e9', 'a??b\u00e9', 'a??b\u00e9'])
  })

  it('returns the first of two Retry-After headers, and all lines of rate limits', async () => {
    const { url } = await serve((_, response) => {
      response.setHeader('Retry-After', ['5', '7'])
      response.setHeader('X-Sentry-Rate-Limits', ['60:error:key', '60:session:key'])
      response.writeHead(429).end()
    })
    const { headers } = await send(to(url))
    expect([headers['retry-after'], headers['x-sentry-rate-limits']]).toEqual(['5', '60:error:key, 60:session:key'])
  })

  it('is aborted together with all posts of its signal', async () => {
    const { url } = await serve((request, response) => {
      if (request.headers['x-hangs'] === undefined) response.end('taken')
    })
    const abort = new AbortController()
    const { signal } = abort
    await send(to(url, { signal }))
    const hanging = [1, 2].map(() => failing(to(url, { signal, headers: { 'x-hangs': 'yes' } })))
    abort.abort()
    expect((await Promise.all(hanging)).map(({ reason }) => reason)).toEqual(['aborted', 'aborted'])
    expect((await failing(to(url, { signal }))).reason).toBe('aborted')
    expect((await send(to(url))).status).toBe(200)
  })

  it('accepts longer response headers than Node does by default', async () => {
    const limits = Array.from({ length: 1000 }, (_, each) => `60:made_up_category_number_${each}_of_many:key`).join(
      ', ',
    )
    const { url } = await serve((_, response) => response.writeHead(200, { 'X-Sentry-Rate-Limits': limits }).end())
    const { headers } = await send(to(url))
    expect(limits.length).toBeGreaterThan(40_000)
    expect(headers['x-sentry-rate-limits']).toBe(limits)
  })

  it('reuses connections', async () => {
    const ports = new Set<number>()
    const { url } = await serve((request, response) => {
      ports.add(request.socket.remotePort ?? 0)
      response.end('{}')
    })
    for (let time = 0; time < 5; time += 1) await send(to(url))
    expect(ports.size).toBeLessThanOrEqual(2)
  })

  it('does not follow a redirect', async () => {
    const { url } = await serve((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
    expect((await send(to(url))).status).toBe(302)
  })

  it('reads 4 MiB of an endless answer, and keeps 64 KiB', async () => {
    let written = 0
    let cut: () => void = () => undefined
    const isCut = new Promise<void>((resolve) => {
      cut = resolve
    })
    const { url } = await serve((_, response) => {
      const more = (): void => {
        do written += 10_000
        while (response.write('x'.repeat(10_000)))
        response.once('drain', more)
      }
      response.once('close', cut)
      more()
    })
    const { status, bytes } = await send(to(url))
    expect([status, bytes.length]).toEqual([200, 64 * 1024])
    await isCut
    // The sockets of both ends buffer this much.
    expect(written).toBeLessThan(16 * 1024 * 1024)
    expect(written).toBeGreaterThanOrEqual(4 * 1024 * 1024)
  })

  it('reuses a connection after a shorter answer', async () => {
    const ports = new Set<number>()
    const { url } = await serve((request, response) => {
      ports.add(request.socket.remotePort ?? 0)
      response.end('x'.repeat(3 * 1024 * 1024))
    })
    for (let time = 0; time < 5; time += 1) expect((await send(to(url))).bytes).toHaveLength(64 * 1024)
    expect(ports.size).toBeLessThanOrEqual(2)
  })
})

it('a post that is answered before its body is written frees its connection', async () => {
  const early = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.pause()
      socket.write('HTTP/1.1 413 Payload Too Large\r\nContent-Length: 2\r\n\r\n{}')
    })
  })
  early.listen(0, '127.0.0.1')
  await once(early, 'listening')
  servers.push(early)
  const url = `http://127.0.0.1:${(early.address() as AddressInfo).port}/`
  // Three where two connections are allowed.
  for (let time = 0; time < 3; time += 1) {
    const { status } = await send(to(url, { body: new Uint8Array(15_000_000) }))
    expect(status).toBe(413)
  }
})

it('a post without the sender’s address keeps all other headers', async () => {
  const posted: SendRequest[] = []
  const send = withoutAddress(async (request) => {
    posted.push(request)
    return { status: 200, headers: {}, bytes: new Uint8Array() }
  })
  const request = { url: 'http://h.test/', body: new Uint8Array(1), timeoutMs: 1, signal: new AbortController().signal }
  await send({ ...request, headers: { 'x-forwarded-for': '203.0.113.7', 'user-agent': 'x' } })
  expect(posted).toEqual([{ ...request, headers: { 'user-agent': 'x' } }])
})
