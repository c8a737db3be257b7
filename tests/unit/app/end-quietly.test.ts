import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { endQuietly, passThrough } from '../../../app/collector/[...path]/pass-through'

const servers = new Set<ReturnType<typeof createServer>>()
afterEach(() => {
  for (const server of servers) server.close().closeAllConnections()
  servers.clear()
})

/** Starts a collector that has sent half of an answer. */
async function begun(contentType: string, signal?: AbortSignal) {
  const server = createServer()
  servers.add(server)
  const answering = new Promise<ServerResponse>((resolve) => {
    server.on('request', (_request, response) => {
      response.writeHead(200, { 'content-type': contentType })
      response.write('half')
      resolve(response)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const answer = await passThrough(
    new Request('http://localhost/collector/query/stream', signal === undefined ? {} : { signal }),
    ['query', 'stream'],
    { collectorUrl: `http://127.0.0.1:${address.port}`, fetchLike: fetch },
  )
  return { answer, collector: await answering }
}

describe('an answer whose collector dies midway', () => {
  it.each(['destroy', 'resetAndDestroy'] as const)(
    'ends without an error when it is a live stream (%s)',
    async (end) => {
      const { answer, collector } = await begun('text/event-stream; charset=utf-8')
      collector.socket?.[end]()
      expect(await answer.text()).toBe('half')
    },
  )

  it('rejects for every other content type, because half a body must not look complete', async () => {
    const { answer, collector } = await begun('application/json')
    collector.socket?.destroy()
    await expect(answer.text()).rejects.toThrow('terminated')
  })
})

it('a live stream closes the connection to the collector when its reader cancels', async () => {
  const { answer, collector } = await begun('text/event-stream')
  const closed = once(collector, 'close')
  await answer.body?.cancel()
  await closed
})

it('a live stream rejects when the request of the visitor is aborted', async () => {
  const gone = new AbortController()
  const { answer } = await begun('text/event-stream', gone.signal)
  gone.abort()
  await expect(answer.text()).rejects.toThrow('aborted')
})

it.each([
  ['a bug', new TypeError('value.map is not a function')],
  ['another cause', new TypeError('terminated', { cause: new Error('bad chunk') })],
  ['another code', new TypeError('terminated', { cause: Object.assign(new Error(), { code: 'UND_ERR_INFO' }) })],
])('a live stream passes on every other error: %s', async (_what, error) => {
  const broken = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: (controller) => controller.error(error) })
  await expect(new Response(endQuietly(broken)).text()).rejects.toBe(error)
})

it('a live stream reads nothing before its reader does', async () => {
  let pulls = 0
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: (controller) => {
        pulls++
        controller.enqueue(new Uint8Array(1))
      },
    },
    { highWaterMark: 0 },
  )
  const reader = endQuietly(source).getReader()
  // A stream that reads ahead would have pulled by then.
  await setImmediate()
  expect(pulls).toBe(0)
  await reader.read()
  expect(pulls).toBe(1)
})
