import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { failing, send, serve, servers, to } from './posting'

describe('a post that is not answered', () => {
  it('may have arrived when it times out', async () => {
    const { url } = await serve(() => undefined)
    const error = await failing(to(url, { timeoutMs: 1000 }))
    expect(error).toMatchObject({ reason: 'timeout', message: 'no answer within 1 s', connected: true })
  })

  it('may have arrived when its slow answer times out', async () => {
    const { url } = await serve((_, response) => {
      const drip = setInterval(() => response.write('x'), 10)
      response.on('close', () => clearInterval(drip))
    })
    const error = await failing(to(url, { timeoutMs: 1000 }))
    expect(error).toMatchObject({ reason: 'timeout', connected: true })
  })

  it('may have arrived when the answer is cut', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half of', () => response.destroy())
    })
    expect(await failing(to(url))).toMatchObject({ reason: 'failed', message: 'ECONNRESET', connected: true })
  })

  it('may have arrived when the connection is closed without an answer', async () => {
    const { url } = await serve((request) => request.socket.destroy())
    expect(await failing(to(url))).toMatchObject({ reason: 'failed', message: 'ECONNRESET', connected: true })
  })

  it('has not arrived where the connection is refused', async () => {
    const free = createTcpServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const { port } = free.address() as AddressInfo
    free.close()
    await once(free, 'close')
    const error = await failing(to(`http://127.0.0.1:${port}/`))
    expect(error).toMatchObject({ reason: 'failed', message: 'ECONNREFUSED', connected: false })
  })

  it('has not arrived where the server does not use TLS', async () => {
    const plain = createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    plain.listen(0, '127.0.0.1')
    await once(plain, 'listening')
    servers.push(plain)
    const error = await failing(to(`https://127.0.0.1:${(plain.address() as AddressInfo).port}/`))
    expect(error).toMatchObject({ reason: 'failed', connected: false })
  })

  it('may have arrived in part when its connection is closed in the middle of it', async () => {
    const { url } = await serve((request) => request.once('data', () => request.socket.destroy()))
    const error = await failing(to(url, { body: new Uint8Array(15_000_000) }))
    expect(error).toMatchObject({ reason: 'failed', connected: true })
  })

  it('is not sent when it is aborted while it waits for a connection', async () => {
    let seen = 0
    const { url } = await serve((request, response) => {
      seen += 1
      request.resume()
      if (request.headers['x-hangs'] === undefined) response.end()
    })
    const end = new AbortController()
    const hanging = [1, 2].map(() => failing(to(url, { signal: end.signal, headers: { 'x-hangs': 'yes' } })))
    await expect.poll(() => seen).toBe(2)
    const waiting = [
      failing(to(url, { signal: end.signal })),
      failing(to(url, { signal: end.signal, body: new Uint8Array(100_000) })),
    ]
    end.abort()
    expect((await Promise.all(hanging)).map(({ connected }) => connected)).toEqual([true, true])
    expect((await Promise.all(waiting)).map(({ reason, connected }) => [reason, connected])).toEqual([
      ['aborted', false],
      ['aborted', false],
    ])
    for (let time = 0; time < 3; time += 1) await send(to(url))
    expect(seen).toBe(5)
  })

  it('is aborted with the relay', async () => {
    const { url, server } = await serve(() => undefined)
    const end = new AbortController()
    server.on('request', () => end.abort())
    expect(await failing(to(url, { signal: end.signal }))).toMatchObject({ reason: 'aborted', connected: true })
    expect(await failing(to(url, { signal: end.signal }))).toMatchObject({ reason: 'aborted', connected: false })
  })
})
