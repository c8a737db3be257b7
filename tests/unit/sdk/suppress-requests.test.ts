import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as Sentry from '@sentry/nextjs'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { isUntraced } from '../../../lib/sdk/paths'
import { suppressRequests } from '../../../lib/sdk/server'

const sent: string[] = []
const discarded: string[] = []
let server: Server
let url: string

beforeAll(async () => {
  const client = Sentry.init({
    dsn: 'http://local@127.0.0.1:1/1',
    tracesSampleRate: 1,
    traceLifecycle: 'static',
    transport: (options: Parameters<typeof Sentry.createTransport>[0]) =>
      Sentry.createTransport(options, async ({ body }) => {
        sent.push(String(body))
        return { statusCode: 200 }
      }),
  })
  if (client === undefined) throw new Error('the SDK did not start')
  const record = client.recordDroppedEvent.bind(client)
  client.recordDroppedEvent = (...given) => {
    discarded.push(given.slice(0, 2).join(' '))
    record(...given)
  }
  suppressRequests(isUntraced)
  server = createServer((request, response) => {
    Sentry.startSpan({ name: `answer ${request.url}` }, () => {
      Sentry.startSpan({ name: 'child' }, () => undefined)
      if (request.url === '/tunnel?fail') Sentry.captureException(new Error('failed in the tunnel'))
    })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  sent.length = 0
  discarded.length = 0
})
afterAll(async () => {
  server.close()
  await Sentry.close()
})

async function request(path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const [response] = (await once(
    Sentry.suppressTracing(() => get(`${url}${path}`, { headers })),
    'response',
  )) as [IncomingMessage]
  await once(response.resume(), 'end')
  await Sentry.flush()
}

it.each([
  ['the tunnel', '/tunnel', {}],
  ['the tunnel with a query', '/tunnel?x=1', {}],
  ['the forwarded queries of a board', '/collector/query/status', {}],
  ['a board', '/losses', {}],
  ['the tunnel when the caller samples', '/tunnel', { 'sentry-trace': `${'ab'.repeat(16)}-${'cd'.repeat(8)}-1` }],
])('the server SDK neither traces nor counts a request to %s', async (_name, path, headers) => {
  await request(path, headers)
  expect({ sent, discarded }).toEqual({ sent: [], discarded: [] })
})

it('the server SDK traces other requests, before and after', async () => {
  await request('/lab')
  await request('/tunnel')
  await request('/tunnels')
  expect(sent.filter((body) => body.includes('"type":"transaction"'))).toHaveLength(2)
  expect(sent.join()).toContain('answer /lab')
  expect(sent.join()).toContain('answer /tunnels')
})

it('the server SDK still counts a trace that its caller does not sample', async () => {
  await request('/lab', { 'sentry-trace': `${'ab'.repeat(16)}-${'cd'.repeat(8)}-0` })
  expect(discarded).toContain('sample_rate transaction')
})

it('the server SDK still reports errors of untraced requests', async () => {
  await request('/tunnel?fail')
  expect(sent.join()).toContain('failed in the tunnel')
  expect(discarded).toEqual([])
})
