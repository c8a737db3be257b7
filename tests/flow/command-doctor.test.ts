import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Link } from '../../collector/cli/doctor-link'
import { localTunnel } from '../../lib/tunnel/local-tunnel'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  digested,
  endCollectors,
  factAfter,
  postEnvelope,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { errorEnvelope } from './envelopes'
import { startCommand } from './run-process'

const apps = new Set<Server>()
afterEach(() => {
  for (const app of apps) {
    app.closeAllConnections()
    app.close()
  }
  apps.clear()
  endCollectors()
})

type Answers = (request: Request) => Promise<Response> | Response

/** An app of somebody's. @returns its address */
async function startApp(answer: Answers): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', async () => {
      const { method = 'GET', url = '/' } = incoming
      const body = method === 'GET' ? {} : { body: Buffer.concat(chunks) }
      const trace = incoming.headers['sentry-trace']
      const headers = new Headers(typeof trace === 'string' ? { 'sentry-trace': trace } : {})
      const response = await answer(new Request(`http://app.test${url}`, { method, headers, ...body }))
      outgoing.writeHead(response.status, Object.fromEntries(response.headers))
      outgoing.end(Buffer.from(await response.arrayBuffer()))
    })
  })
  apps.add(server)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const doctor = (words: readonly string[], url: string, env = {}) =>
  startCommand(['doctor', ...words], { WAYSTATION_DATA: temporaryFolder(), WAYSTATION_COLLECTOR_URL: url, ...env })
    .ended

/** Each link by its id. */
async function links(words: readonly string[], { url }: Pick<CollectorProcess, 'url'>, env = {}) {
  const { code, out } = await doctor([...words, '--json'], url, env)
  const told: { readonly links: readonly Link[] } = JSON.parse(out)
  const by = new Map(told.links.map((link) => [link.id, link]))
  const broken = told.links.filter(({ state }) => state === 'broken').map(({ id }) => id)
  return { code, broken, of: (id: string) => by.get(id) ?? null }
}

const UPSTREAM = 'https://abc@o1.ingest.sentry.io/42'
const page =
  (html: string): Answers =>
  () =>
    new Response(html, { headers: { 'content-type': 'text/html' } })

describe('waystation doctor', () => {
  it('finds nothing broken along a whole chain, and leaves no trace in the record or its books', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
    const tunnel = localTunnel({ dsn: collector.dsn })
    const traces: (string | null)[] = []
    const app = await startApp((request) => {
      traces.push(request.headers.get('sentry-trace'))
      return new URL(request.url).pathname === '/tunnel'
        ? tunnel.handle(request)
        : new Response(
            `<html><script src="/app.js"></script><script>Sentry.init({dsn:"${collector.dsn}",tunnel:"/tunnel"})</script>`,
          )
    })
    const client = collectorClient(collector.url, fetch)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await digested(collector, 1)
    const before = await client.overview()
    const { code, broken, of } = await links(['--app', app, '--dsn', collector.dsn], collector)
    expect(broken).toEqual([])
    expect(code).toBe(0)
    expect(of('dsn')).toMatchObject({ state: 'ok', seen: expect.stringContaining('leads to the collector') })
    expect(of('page')).toMatchObject({ state: 'ok', seen: expect.stringContaining('sends by /tunnel') })
    expect(of('tunnel')).toMatchObject({ state: 'ok', seen: `${app}/tunnel answers in the words of the tunnel.` })
    expect(of('admission')).toMatchObject({ state: 'ok', seen: 'Project 1 with this key is let in.' })
    expect(of('endpoint')).toMatchObject({
      state: 'ok',
      seen: expect.stringMatching(/^1 envelope arrived, the last \d s ago\.$/),
    })
    const after = await client.overview()
    expect({ counts: after.counts, refusals: after.refusals }).toEqual({
      counts: before.counts,
      refusals: before.refusals,
    })
    // The SDK of the app, too, is told to leave none.
    expect(traces).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^[0-9a-f]{32}-[0-9a-f]{16}-0$/)))
    await tunnel.close()
  })

  it('says in words which link is broken, and how to mend it', async () => {
    const collector = await startCollector()
    const app = await startApp(page(`<script>init({ dsn: '${UPSTREAM}' })</script>`))
    const { code, out } = await doctor(['--app', app], collector.url, { SENTRY_DSN: UPSTREAM, http_proxy: 'http://p' })
    expect(code).toBe(1)
    const lines = out.split('\n')
    expect(lines.slice(0, 4)).toEqual([
      '✗ Variables    http_proxy sends what a program posts to a proxy, which does not reach this machine.',
      '               Set NO_PROXY=127.0.0.1,localhost beside it.',
      '✗ DSN          SENTRY_DSN leads to o1.ingest.sentry.io: what the SDK sends passes the collector by.',
      `               Give the SDK the local DSN: ${collector.dsn} – or its option tunnel, if it is in a page.`,
    ])
    expect(out).toContain('? Tunnel ')
    expect(out).toContain('✗ Page ')
    expect(out).toContain('Only pages need a tunnel.')
    expect(lines.at(-2)).toMatch(/^3 links are broken/)
  })

  it.each<[string, Answers, string]>([
    ['is not there', () => new Response('', { status: 404 }), 'There is nothing at '],
    [
      'is behind a middleware',
      () => new Response('', { status: 307, headers: { location: '/login' } }),
      'leads to /login',
    ],
    ['is somebody else’s', () => new Response('{}', { status: 200 }), 'answers 200, as no tunnel of Waystation does'],
  ])('knows a tunnel that %s', async (_what, answer, seen) => {
    const collector = await startCollector()
    const app = await startApp((request) =>
      request.method === 'POST' ? answer(request) : new Response('<p>no SDK</p>'),
    )
    const { code, broken, of } = await links(['--app', app, '--tunnel', '/tunnel'], collector)
    expect({ code, broken }).toEqual({ code: 1, broken: ['tunnel'] })
    expect(of('tunnel')?.seen).toContain(seen)
    const unasked = await links(['--app', app], collector)
    expect({ code: unasked.code, broken: unasked.broken }).toEqual({ code: 0, broken: [] })
    expect(unasked.of('tunnel')).toMatchObject({ state: 'not looked at', seen: expect.stringContaining(seen) })
    expect(of('page')?.state).toBe('not looked at')
  })

  it.each<[number, string, Link['state'], string]>([
    [500, '', 'broken', ' answers 500.'],
    [503, `<script>init({ dsn: '${UPSTREAM}', tunnel: '/tunnel' })</script>`, 'broken', ' answers 503.'],
    [401, '', 'not looked at', ' answers 401, and no DSN stands there.'],
    [
      404,
      `<script>init({ dsn: '${UPSTREAM}', tunnel: '/tunnel' })</script>`,
      'broken',
      'sends by /tunnel, where no tunnel answers',
    ],
  ])('of an app whose page answers %i with %j the page is told as it is', async (status, html, state, seen) => {
    const collector = await startCollector()
    const app = await startApp(() => new Response(html, { status }))
    const { of } = await links(['--app', app], collector)
    expect(of('page')).toMatchObject({ state, seen: expect.stringContaining(seen) })
  })

  it('gives as JSON nothing that a terminal obeys, whatever an app says', async () => {
    const collector = await startCollector()
    const evil = '\u009b2J\u202eabc\u2028'
    const app = await startApp(page(`<script>init({ dsn: '${UPSTREAM}', tunnel: '${evil}' })</script>`))
    const { out } = await doctor(['--app', app, '--json'], collector.url)
    expect(out).not.toMatch(/[\u0080-\u009f\u202e\u2028]/)
    expect(JSON.stringify(JSON.parse(out))).toContain('sends by \\\\u009b2J\\\\u202eabc\\\\u2028')
  })

  it('knows a DSN that the endpoint refuses, an upstream that is away, and a endpoint that lets nothing in', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'http://key@127.0.0.1:9/7' })
    await postEnvelope(collector, errorEnvelope('http://other@127.0.0.1/9').body)
    const away = { dsn: `http://key@${new URL(collector.url).host}/7` }
    const refused = await links(['--dsn', away.dsn.replace('key', 'other')], collector)
    expect(refused.broken).toEqual(['admission', 'endpoint'])
    expect(refused.of('endpoint')?.seen).toBe('Nothing was let in, and 1 refused: 1 unknown_project.')
    await postEnvelope(collector, errorEnvelope(away.dsn).body)
    await factAfter(collector, 'delivered')
    const late = await links(['--dsn', away.dsn], collector)
    expect(late.broken).toEqual(['ready', 'endpoint', 'upstream'])
    expect(late.of('endpoint')?.seen).toMatch(/; 1 refused at the endpoint, the last \d+ s ago: 1 unknown_project\.$/)
    expect(late.of('upstream')?.seen).toMatch(/^127\.0\.0\.1:9\/7 is away: .*ECONNREFUSED.*; 1 wait$/)
  })

  it('ends with 3 where no collector answers, and with 2 where it was mistyped', async () => {
    const { code, broken, of } = await links([], { url: 'http://127.0.0.1:9' })
    expect({ code, broken }).toEqual({ code: 3, broken: ['collector'] })
    expect(of('room')?.state).toBe('not looked at')
    const guarded = await links([], await startCollector({ WAYSTATION_TOKEN: 'a token of sixteen' }))
    expect(guarded.of('collector')).toMatchObject({
      state: 'broken',
      mend: expect.stringContaining('WAYSTATION_TOKEN'),
    })
    const url = 'http://127.0.0.1:9'
    expect(await doctor(['--app', 'here'], url)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--app here: meant is'),
    })
    expect(await doctor(['--app', `${url}/`], url)).toMatchObject({
      code: 2,
      err: expect.stringContaining('is the collector itself'),
    })
    expect(await doctor(['--dsn', 'x'], url)).toMatchObject({
      code: 2,
      err: expect.stringContaining('a DSN looks like'),
    })
  })
})
