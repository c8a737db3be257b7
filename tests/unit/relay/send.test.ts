import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createSend, type SendError, type SendRequest } from '../../../collector/relay/send'

const servers: { close: () => unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function serve(
  listener: RequestListener,
  host = '127.0.0.1',
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(listener)
  server.listen(0, host)
  await once(server, 'listening')
  servers.push({ close: () => server.closeAllConnections() ?? server.close() })
  const named = host.includes(':') ? `[${host}]` : host
  return { url: `http://${named}:${(server.address() as AddressInfo).port}/api/1/envelope/`, server }
}

const send = createSend(2)
const to = (url: string, given: Partial<SendRequest> = {}): SendRequest => ({
  url,
  headers: { 'content-type': 'application/x-sentry-envelope' },
  body: new TextEncoder().encode('{}\n'),
  timeoutMs: 5000,
  signal: new AbortController().signal,
  ...given,
})
const failing = (request: SendRequest): Promise<SendError> =>
  send(request).then(
    () => Promise.reject(new Error('it was answered')),
    (error: SendError) => error,
  )

describe('a post', () => {
  it('sends the bytes with their length, and gives status, headers and the beginning of the answer', async () => {
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

  it.each(['127.0.0.1', '::1'])('names its host %s, and asks for all of its address', async (host) => {
    const seen: string[] = []
    const { url } = await serve((request, response) => {
      const { connection } = request.headers
      seen.push(`${request.headers.host} ${request.url} ${request.headers['user-agent']} ${connection}`)
      response.end()
    }, host)
    await send(to(`${url}?sentry_key=a%20b`, { headers: { 'user-agent': 'one' } }))
    expect(seen).toEqual([`${new URL(url).host} /api/1/envelope/?sentry_key=a%20b one keep-alive`])
  })

  it('is cut off with all others of its signal, and with none after them', async () => {
    const { url } = await serve((request, response) => {
      if (request.headers['x-hangs'] === undefined) response.end('taken')
    })
    const abort = new AbortController()
    const { signal } = abort
    await send(to(url, { signal }))
    const hanging = [1, 2].map(() => failing(to(url, { signal, headers: { 'x-hangs': 'yes' } })))
    abort.abort()
    expect((await Promise.all(hanging)).map(({ why }) => why)).toEqual(['aborted', 'aborted'])
    expect((await failing(to(url, { signal }))).why).toBe('aborted')
    expect((await send(to(url))).status).toBe(200)
  })

  it('is answered also where the headers are longer than Node reads by itself', async () => {
    const limits = Array.from({ length: 1000 }, (_, each) => `60:made_up_category_number_${each}_of_many:key`).join(
      ', ',
    )
    const { url } = await serve((_, response) => response.writeHead(200, { 'X-Sentry-Rate-Limits': limits }).end())
    const { headers } = await send(to(url))
    expect(limits.length).toBeGreaterThan(40_000)
    expect(headers['x-sentry-rate-limits']).toBe(limits)
  })

  it('uses the connection of the one before it', async () => {
    const ports = new Set<number>()
    const { url } = await serve((request, response) => {
      ports.add(request.socket.remotePort ?? 0)
      response.end('{}')
    })
    for (let time = 0; time < 3; time += 1) await send(to(url))
    expect(ports.size).toBe(1)
  })

  it('does not follow a redirect', async () => {
    const { url } = await serve((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
    expect((await send(to(url))).status).toBe(302)
  })

  it('reads 4 MiB of an endless answer and no further, and keeps 64 KiB', async () => {
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
    // What the sockets of both ends hold is written and not read.
    expect(written).toBeLessThan(16 * 1024 * 1024)
    expect(written).toBeGreaterThanOrEqual(4 * 1024 * 1024)
  })

  it('uses a connection again behind an answer of less than that', async () => {
    const ports = new Set<number>()
    const { url } = await serve((request, response) => {
      ports.add(request.socket.remotePort ?? 0)
      response.end('x'.repeat(3 * 1024 * 1024))
    })
    for (let time = 0; time < 2; time += 1) expect((await send(to(url))).bytes).toHaveLength(64 * 1024)
    expect(ports.size).toBe(1)
  })
})

describe('a post that is answered before all of it was taken', () => {
  it('leaves its place to the next', async () => {
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
})

describe('a post that is not answered', () => {
  it('may have arrived when its time is over', async () => {
    const { url } = await serve(() => undefined)
    const error = await failing(to(url, { timeoutMs: 1000 }))
    expect(error).toMatchObject({ why: 'timeout', message: 'no answer within 1 s', connected: true })
  })

  it('may have arrived when its answer drips beyond its time', async () => {
    const { url } = await serve((_, response) => {
      const drip = setInterval(() => response.write('x'), 10)
      response.on('close', () => clearInterval(drip))
    })
    const error = await failing(to(url, { timeoutMs: 1000 }))
    expect(error).toMatchObject({ why: 'timeout', connected: true })
  })

  it('may have arrived when the answer is cut off', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half of', () => response.destroy())
    })
    expect(await failing(to(url))).toMatchObject({ why: 'failed', message: 'ECONNRESET', connected: true })
  })

  it('may have arrived when the connection is closed instead', async () => {
    const { url } = await serve((request) => request.socket.destroy())
    expect(await failing(to(url))).toMatchObject({ why: 'failed', message: 'ECONNRESET', connected: true })
  })

  it('has not arrived where nobody listens', async () => {
    const free = createTcpServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const { port } = free.address() as AddressInfo
    free.close()
    await once(free, 'close')
    const error = await failing(to(`http://127.0.0.1:${port}/`))
    expect(error).toMatchObject({ why: 'failed', message: 'ECONNREFUSED', connected: false })
  })

  it('has not arrived where the other end speaks no TLS', async () => {
    const plain = createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    plain.listen(0, '127.0.0.1')
    await once(plain, 'listening')
    servers.push(plain)
    const error = await failing(to(`https://127.0.0.1:${(plain.address() as AddressInfo).port}/`))
    expect(error).toMatchObject({ why: 'failed', connected: false })
  })

  it('is cut off with the relay', async () => {
    const { url, server } = await serve(() => undefined)
    const end = new AbortController()
    server.on('request', () => end.abort())
    expect(await failing(to(url, { signal: end.signal }))).toMatchObject({ why: 'aborted', connected: true })
    expect(await failing(to(url, { signal: end.signal }))).toMatchObject({ why: 'aborted', connected: false })
  })
})
