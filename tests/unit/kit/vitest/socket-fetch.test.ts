import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { socketFetch } from '../../../../lib/kit/vitest/socket-fetch'

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server that answers every request with these bytes and closes the connection. */
async function answering(bytes: string): Promise<string> {
  const server = createSocketServer((socket) => {
    socket.once('data', () => socket.end(bytes))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('sends and receives like fetch', async () => {
  const url = await served(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.setHeader('x-seen', `${request.method} ${request.url} ${request.headers['x-own']}`)
    response.statusCode = 409
    response.end(Buffer.concat(chunks).toString().toUpperCase())
  })
  const answer = await socketFetch(`${url}/a?b=c`, { method: 'POST', body: 'ümlaut', headers: { 'X-Own': 'yes' } })
  expect([answer.status, answer.headers.get('x-seen'), await answer.text()]).toEqual([409, 'POST /a?b=c yes', 'ÜMLAUT'])
})

it('joins a chunked answer with any chunk boundaries', async () => {
  const text = 'ä'.repeat(70_000)
  const url = await served((_request, response) => {
    response.write(text.slice(0, 10))
    response.end(text.slice(10))
  })
  expect(await (await socketFetch(url)).text()).toBe(text)
})

it('is invisible for diagnostics channels of the process', async () => {
  const seen: string[] = []
  const note = (_message: unknown, name: string | symbol): void => {
    seen.push(String(name))
  }
  const channels = ['undici:request:create', 'http.client.request.start', 'http.client.request.created']
  for (const channel of channels) subscribe(channel, note)
  onTestFinished(() => {
    for (const channel of channels) unsubscribe(channel, note)
  })
  const url = await served((_request, response) => response.end('{}'))
  await socketFetch(url)
  expect(seen).toEqual([])
  await fetch(url)
  expect(seen).toEqual(['undici:request:create'])
})

it('rejects with an AbortError before and during the request', async () => {
  const url = await served(() => undefined)
  await expect(socketFetch(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
  const controller = new AbortController()
  const waiting = socketFetch(url, { signal: controller.signal })
  controller.abort()
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
})

it.each([
  ['', 'the connection was closed before an answer came'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfour', 'the connection was closed before the answer was complete'],
  [
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfour',
    'the connection was closed before the answer was complete',
  ],
])('rejects an incomplete answer: %j', async (bytes, words) => {
  await expect(socketFetch(await answering(bytes))).rejects.toThrow(words)
})

it('rejects without an answer, and for addresses without http', async () => {
  const url = await served(() => undefined)
  await expect(socketFetch(url.replace(/\d+$/, '1'))).rejects.toThrow('ECONNREFUSED')
  await expect(socketFetch('https://sentry.io/')).rejects.toThrow(
    'the collector address must start with http://, got https://sentry.io',
  )
})
