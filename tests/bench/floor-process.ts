import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import type { FloorCount, FloorOrder } from './messages'

/*
 * The floor program measures the unavoidable cost of the work, without code of the product. It reads, deflates and inserts
 * each body, in batches with a synced commit; then it answers, inflates the body, parses its JSON, and posts it upstream.
 * It does not parse envelopes, validate, count or index.
 */
const OPEN_POSTS = 30

// A child does not keep running because of its IPC channel alone, and this one has no other work yet.
process.channel?.ref()
process.once('message', (order: FloorOrder) => begin(order))

function begin({ file, upstream }: FloorOrder): void {
  const count = { stored: 0, parsed: 0, relayed: 0 }
  const worker = new Worker(new URL('./floor-thread.js', import.meta.url), { workerData: { file } })
  let gathered: { readonly body: Uint8Array; readonly answer: () => void }[] = []
  let inHand: typeof gathered = []
  let isBusy = false
  const handOver = (): void => {
    if (isBusy || gathered.length === 0) return
    inHand = gathered
    gathered = []
    isBusy = true
    worker.postMessage(inHand.map(({ body }) => body))
  }
  const relay = relayTo(upstream, () => {
    count.relayed += 1
  })
  worker.on('message', (done: 'stored' | 'parsed') => {
    count[done] += inHand.length
    if (done === 'stored') {
      for (const { body, answer } of inHand) {
        answer()
        relay(body)
      }
      return
    }
    isBusy = false
    handOver()
  })

  const app = new Hono()
  app.post('/api/:project/envelope/', async (c) => {
    const body = new Uint8Array(await c.req.arrayBuffer())
    await new Promise<void>((answer) => {
      gathered.push({ body, answer })
      handOver()
    })
    return c.json({})
  })
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (info: AddressInfo) => {
    process.send?.({ port: info.port })
    process.on('message', () => process.send?.({ ...count } satisfies FloorCount))
  })
}

/** Posts over keep-alive connections. Waiting bodies stay in memory. */
function relayTo(port: number, onAnswer: () => void): (body: Uint8Array) => void {
  const agent = new Agent({ keepAlive: true, maxSockets: OPEN_POSTS })
  const waiting: Uint8Array[] = []
  let first = 0
  let open = 0
  const next = (): void => {
    const body = waiting[first]
    if (body === undefined || open === OPEN_POSTS) return
    first += 1
    if (first === waiting.length) {
      waiting.length = 0
      first = 0
    }
    open += 1
    const headers = { 'content-type': 'application/x-sentry-envelope', 'content-length': body.length }
    const post = request({ agent, host: '127.0.0.1', port, method: 'POST', path: '/api/1/envelope/', headers })
    post.on('response', (answer) => {
      answer.resume()
      answer.on('end', () => {
        open -= 1
        onAnswer()
        next()
      })
    })
    post.end(body)
  }
  return (body) => {
    waiting.push(body)
    next()
  }
}
