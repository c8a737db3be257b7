import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { nodeHandler, nodeTunnel } from '../../../lib/tunnel/local-tunnel'
import { type RecordingCollector, startCollector } from './recording-collector'

let collector: RecordingCollector
const closing: (() => unknown)[] = []
beforeEach(async () => {
  collector = await startCollector()
  closing.push(collector.close)
  vi.stubEnv('WAYSTATION_DSN', `http://local@127.0.0.1:${collector.port}/1`)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of closing.splice(0)) await close()
})

/** A server that runs `before` and then the tunnel, as a chain of Express does. */
async function serve(before: (incoming: IncomingMessage) => Promise<unknown> = async () => undefined): Promise<string> {
  const tunnel = nodeTunnel()
  const server = createServer((incoming, outgoing) => void before(incoming).then(() => tunnel(incoming, outgoing)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tunnel`
}

const ENVELOPE = '{"dsn":"http://local@app.test/1"}\n{"type":"event"}\n{"message":"caf\u00e9"}'
const post = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, { method: 'POST', body: ENVELOPE, headers })

it('forwards the bytes, the stamp of the cookie and the page header to the collector of WAYSTATION_DSN', async () => {
  const answer = await post(await serve(), { cookie: 'waystation-stamp=s1', 'x-waystation-page': 'p1' })
  expect(answer.status).toBe(200)
  expect(collector.received).toMatchObject([
    { headers: { 'x-waystation-stamp': 's1', 'x-waystation-page': 'p1' }, body: Buffer.from(ENVELOPE) },
  ])
  expect(collector.received[0]?.headers).not.toHaveProperty('cookie')
})

it('refuses pages of other hosts, other keys and other methods', async () => {
  const url = await serve()
  expect((await post(url, { origin: 'https://elsewhere.test' })).status).toBe(403)
  expect((await fetch(url, { method: 'POST', body: '{"dsn":"http://other@app.test/1"}\n' })).status).toBe(403)
  expect((await fetch(url)).status).toBe(405)
  expect(collector.received).toEqual([])
})

it('answers 500 with the reason when a body parser has read the body', async () => {
  const answer = await post(await serve(text))
  expect(answer.status).toBe(500)
  expect(await answer.json()).toMatchObject({
    detail: expect.stringContaining('before body parsers such as express.text()'),
  })
  expect(collector.received).toEqual([])
})

it('never rejects: an answer that fails or breaks off ends the connection, and any address is answered', async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(Buffer.from('half'))
      controller.error(new Error('the collector stopped'))
    },
  })
  const handlers = [
    nodeHandler({ handle: () => Promise.reject(new Error('a bug')) }),
    nodeHandler({ handle: () => Promise.resolve(new Response(broken)) }),
  ]
  for (const handler of handlers) {
    const ended: Promise<void>[] = []
    const server = createServer((incoming, outgoing) => void ended.push(handler(incoming, outgoing)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow(/fetch failed|terminated/)
    await expect(Promise.all(ended)).resolves.toEqual([undefined])
  }
  const base = new URL(await serve()).origin
  expect((await fetch(`${base}//`, { method: 'PUT' })).status).toBe(405)
})
