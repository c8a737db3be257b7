import { connect, type Socket } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { type CollectorProcess, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope } from './envelopes'

afterAll(endCollectors)

/** Opens connections, and sends so many requests on each at once without reading an answer. */
async function floodReads(collector: CollectorProcess, connections: number, requests: number): Promise<Socket[]> {
  const { hostname, port } = new URL(collector.url)
  const request = `GET /query/recorded?limit=1000 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`
  return Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(Number(port), hostname, () => {
            socket.pause()
            socket.write(request.repeat(requests), () => resolve(socket))
          })
          socket.on('error', reject)
        }),
    ),
  )
}

/** A collector with many bodies, so that each read of them takes long. */
async function filled(): Promise<CollectorProcess> {
  const collector = await startCollector()
  const { body } = errorEnvelope(collector.dsn)
  const item = `\n{"type":"attachment"}\n${'0123456789'.repeat(20_000)}`
  for (let count = 0; count < 30; count += 1) expect((await postEnvelope(collector, body + item)).status).toBe(200)
  return collector
}

it('reads whose clients hung up are not begun: a board is answered at once', async () => {
  const collector = await filled()
  const sockets = await floodReads(collector, 100, 20)
  const during = await fetch(`${collector.url}/query/traces`)
  expect(during.status).toBe(200)
  for (const socket of sockets) socket.destroy()
  // All 2,000 reads together would take minutes.
  const after = async (): Promise<number> => {
    const answer = await fetch(`${collector.url}/query/recorded?limit=1000`, { signal: AbortSignal.timeout(10_000) })
    await answer.arrayBuffer()
    return answer.status
  }
  // Until the closed connections are noticed, the queue may be full, which is answered at once, too.
  await expect.poll(after).toBe(200)
  expect(await collector.stop()).toBe(0)
})

it('a stop under a flood of reads ends them and exits with code 0', async () => {
  const collector = await filled()
  const sockets = await floodReads(collector, 100, 20)
  for (const socket of sockets) socket.on('error', () => undefined)
  expect(await collector.stop()).toBe(0)
  for (const socket of sockets) socket.destroy()
})
