import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Check } from '../../collector/cli/doctor/doctor-checks'
import { localTunnel } from '../../lib/tunnel/local-tunnel'
import { collectorClient } from '../../lib/wire/collector-client'
import { problemResponse } from '../../lib/wire/errors'
import {
  type CollectorProcess,
  digested,
  factAfter,
  postEnvelope,
  sharedCollector,
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
})
const shared = sharedCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
/** It receives nothing: an endpoint that only refuses would be broken, too. */
const empty = sharedCollector()

type Answers = (request: Request) => Promise<Response> | Response

/** Starts an app. @returns its address */
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

const doctor = (args: readonly string[], url: string, env = {}) =>
  startCommand(['doctor', ...args], { WAYSTATION_DATA: temporaryFolder(), WAYSTATION_COLLECTOR_URL: url, ...env }).ended

/** Runs doctor and returns the checks by id. */
async function checks(args: readonly string[], { url }: Pick<CollectorProcess, 'url'>, env = {}) {
  const { code, out } = await doctor([...args, '--json'], url, env)
  const parsed: { readonly checks: readonly Check[] } = JSON.parse(out)
  const byId = new Map(parsed.checks.map((check) => [check.id, check]))
  const broken = parsed.checks.filter(({ state }) => state === 'broken').map(({ id }) => id)
  return { code, broken, of: (id: string) => byId.get(id) ?? null }
}

/** Runs doctor again until exactly these are broken: on a busy machine a collector is not ready for some time. */
async function checksWith(expected: readonly string[], ...given: Parameters<typeof checks>) {
  let last = await checks(...given)
  const again = async () => {
    last = await checks(...given)
    return last.broken
  }
  await expect.poll(again, { timeout: 30_000 }).toEqual(expected)
  return last
}

const UPSTREAM = 'https://abc@o1.ingest.sentry.io/42'
const page =
  (html: string): Answers =>
  () =>
    new Response(html, { headers: { 'content-type': 'text/html' } })

describe('waystation doctor', () => {
  it('finds nothing broken in a working setup, and records only its probe', async () => {
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
    const { code, broken, of } = await checks(['--app', app, '--dsn', collector.dsn], collector)
    expect(broken).toEqual([])
    expect(code).toBe(0)
    expect(of('dsn')).toMatchObject({ state: 'ok', found: expect.stringContaining('leads to the collector') })
    expect(of('page')).toMatchObject({ state: 'ok', found: expect.stringContaining('sends to the tunnel /tunnel') })
    expect(of('tunnel')).toMatchObject({ state: 'ok', found: `${app}/tunnel is a tunnel.` })
    expect(of('admission')).toMatchObject({ state: 'ok', found: 'Project 1 with this key is accepted.' })
    expect(of('endpoint')).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/^1 envelope arrived, the last \d s ago\.$/),
    })
    expect(of('probe')).toMatchObject({ state: 'ok', found: `${app}/tunnel accepts an envelope of the page.` })
    const after = await client.overview()
    expect({ counts: after.counts, refusals: after.refusals }).toEqual({
      counts: { ...before.counts, envelopes: before.counts.envelopes + 1 },
      refusals: before.refusals,
    })
    // The requests are unsampled, so the SDK of the app records nothing either.
    expect(traces).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(/^[0-9a-f]{32}-[0-9a-f]{16}-0$/)))
    await tunnel.close()
  })

  it('exits with 1 for a tunnel that refuses the page, and with 0 after a bad post of another program', async () => {
    const collector = shared()
    const tunnel = localTunnel({ dsn: collector.dsn })
    const dsns = { page: collector.dsn.replace('local@', 'other@') }
    const app = await startApp((request) =>
      new URL(request.url).pathname === '/errors'
        ? tunnel.handle(request)
        : new Response(`<script>Sentry.init({dsn:"${dsns.page}",tunnel:"/errors"})</script>`),
    )
    const refused = await checks(['--app', app], collector)
    expect({ code: refused.code, broken: refused.broken }).toEqual({ code: 1, broken: ['probe'] })
    expect(refused.of('probe')?.found).toBe(
      'An envelope of the page is refused with 403: project "1" with key "other" is not configured here.',
    )
    await postEnvelope(collector, errorEnvelope('http://other@127.0.0.1/9').body)
    dsns.page = collector.dsn
    expect(await checks(['--app', app], collector)).toMatchObject({ code: 0, broken: [] })
    await tunnel.close()
  })

  it('finds the SDK of a page below the root in the modules that it imports, and its tunnel at the root', async () => {
    const collector = shared()
    const tunnel = localTunnel({ dsn: collector.dsn })
    const files: Readonly<Record<string, string>> = {
      '/shop/account': '<script type="module" src="../assets/account.js"></script>',
      '/assets/account.js': 'import"./account.js";import{a}from"./sentry.js";',
      '/assets/sentry.js': `init({dsn:"${collector.dsn.replace('local@', 'other@')}",tunnel:"/tunnel"})`,
    }
    const app = await startApp((request) => {
      const { pathname } = new URL(request.url)
      if (pathname === '/tunnel') return tunnel.handle(request)
      return new Response(files[pathname] ?? '', { status: files[pathname] === undefined ? 404 : 200 })
    })
    const { broken, of } = await checks(['--app', `${app}/shop/account`], collector)
    expect(broken).toContain('probe')
    expect(of('tunnel')).toMatchObject({ state: 'ok', found: `${app}/tunnel is a tunnel.` })
    expect(of('page')?.found).toBe(
      `The SDK has ${collector.dsn.replace('local@', 'other…@')} and sends to the tunnel /tunnel.`,
    )
    expect(of('probe')?.found).toBe(
      'An envelope of the page is refused with 403: project "1" with key "other" is not configured here.',
    )
    await tunnel.close()
  })

  it('probes the collector itself for a page without a tunnel, with the origin of the page', async () => {
    const collector = shared()
    const app = await startApp(page(`<script>Sentry.init({dsn:"${collector.dsn}"})</script>`))
    expect((await checks(['--app', app], collector)).of('probe')).toMatchObject({
      state: 'ok',
      found: `${collector.url}/api/1/envelope/ accepts an envelope of the page.`,
    })
  })

  it('exits with 1 when SENTRY_DSN leads the server past the collector, unless WAYSTATION_DSN comes first', async () => {
    const collector = shared()
    const tunnel = localTunnel({ dsn: collector.dsn })
    const app = await startApp((request) =>
      request.method === 'POST'
        ? tunnel.handle(request)
        : new Response(`<script>Sentry.init({dsn:"${collector.dsn}",tunnel:"/tunnel"})</script>`),
    )
    const past = await checks(['--app', app], collector, { SENTRY_DSN: UPSTREAM })
    expect({ code: past.code, broken: past.broken.filter((id) => id !== 'admission') }).toEqual({
      code: 1,
      broken: ['dsn'],
    })
    expect(past.of('dsn')?.found).toContain('a server that reads it sends past the collector')
    const both = { SENTRY_DSN: UPSTREAM, WAYSTATION_DSN: collector.dsn }
    expect(await checks(['--app', app], collector, both)).toMatchObject({ code: 0, broken: [] })
    await tunnel.close()
  })

  it('prints what is broken and how to fix it', async () => {
    const collector = empty()
    const app = await startApp(page(`<script>init({ dsn: '${UPSTREAM}' })</script>`))
    const { code, out } = await doctor(['--app', app], collector.url, { SENTRY_DSN: UPSTREAM, http_proxy: 'http://p' })
    expect(code).toBe(1)
    const lines = out.split('\n')
    expect(lines.slice(0, 4)).toEqual([
      '✗ Variables    http_proxy sends requests to a proxy, which cannot reach this machine.',
      '               Also set NO_PROXY=127.0.0.1,localhost.',
      '✗ DSN          SENTRY_DSN leads to o1.ingest.sentry.io, not to the collector.',
      `               Give the SDK the local DSN: ${collector.dsn} – or, in a page, set its option tunnel.`,
    ])
    expect(out).toContain('? Tunnel ')
    expect(out).toContain('✗ Page ')
    expect(out).toContain('Only pages need a tunnel.')
    expect(lines.at(-2)).toMatch(/^3 checks failed/)
  })

  it.each<[string, Answers, string]>([
    ['is missing', () => new Response('', { status: 404 }), 'answers 404.'],
    [
      'is behind a middleware',
      () => new Response('', { status: 307, headers: { location: '/login' } }),
      'redirects to /login',
    ],
    [
      'belongs to another tool',
      () => new Response('{}', { status: 200 }),
      'answers 200, so it is not a tunnel of Waystation',
    ],
  ])('reports a tunnel that %s', async (_what, answer, found) => {
    const collector = empty()
    const app = await startApp((request) =>
      request.method === 'POST' ? answer(request) : new Response('<p>no SDK</p>'),
    )
    const { code, broken, of } = await checks(['--app', app, '--tunnel', '/tunnel'], collector)
    expect({ code, broken }).toEqual({ code: 1, broken: ['tunnel'] })
    expect(of('tunnel')?.found).toContain(found)
    const unasked = await checks(['--app', app], collector)
    expect({ code: unasked.code, broken: unasked.broken }).toEqual({ code: 0, broken: [] })
    expect(unasked.of('tunnel')).toMatchObject({ state: 'skipped', found: expect.stringContaining(found) })
    expect(of('page')?.state).toBe('skipped')
  })

  it.each<[number, string, Check['state'], string]>([
    [500, '', 'broken', ' answers 500.'],
    [503, `<script>init({ dsn: '${UPSTREAM}', tunnel: '/tunnel' })</script>`, 'broken', ' answers 503.'],
    [401, '', 'skipped', ' answers 401 and contains no DSN.'],
    [
      404,
      `<script>init({ dsn: '${UPSTREAM}', tunnel: '/tunnel' })</script>`,
      'broken',
      'sends to the tunnel /tunnel, which is not a tunnel of Waystation',
    ],
  ])('reports a page that answers %i with %j', async (status, html, state, found) => {
    const collector = empty()
    const app = await startApp(() => new Response(html, { status }))
    const { of } = await checks(['--app', app], collector)
    expect(of('page')).toMatchObject({ state, found: expect.stringContaining(found) })
  })

  it('escapes control characters of an app in the JSON output', async () => {
    const collector = empty()
    const evil = '\u009b2J\u202eabc\u2028'
    const app = await startApp(page(`<script>init({ dsn: '${UPSTREAM}', tunnel: '${evil}' })</script>`))
    const { out } = await doctor(['--app', app, '--json'], collector.url)
    expect(out).not.toMatch(/[\u0080-\u009f\u202e\u2028]/)
    expect(JSON.stringify(JSON.parse(out))).toContain('sends to the tunnel \\\\u009b2J\\\\u202eabc\\\\u2028')
  })

  it('reports a refused DSN, an unreachable upstream, and an endpoint that refuses everything', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'http://key@127.0.0.1:9/7' })
    await postEnvelope(collector, errorEnvelope('http://other@127.0.0.1/9').body)
    const away = { dsn: `http://key@${new URL(collector.url).host}/7` }
    const refused = await checksWith(['admission', 'endpoint'], ['--dsn', away.dsn.replace('key', 'other')], collector)
    expect(refused.of('endpoint')?.found).toBe('No envelope was accepted, 1 refused: 1 unknown_project.')
    await postEnvelope(collector, errorEnvelope(away.dsn).body)
    await factAfter(collector, 'delivered')
    // While the relay tries again, the upstream is neither reachable nor not.
    const late = await checksWith(['ready', 'upstream'], ['--dsn', away.dsn], collector)
    expect(late.of('endpoint')?.found).toMatch(/; 1 refused, the last \d+ s ago: 1 unknown_project\.$/)
    expect(late.of('upstream')?.found).toMatch(/^127\.0\.0\.1:9\/7 is unreachable: .*ECONNREFUSED.*; 1 pending$/)
  })

  it('does not blame address and token for a failure of the collector', async () => {
    const failing = await startApp(() => problemResponse(500, 'The index cannot be read.'))
    const { code, broken, of } = await checks([], { url: failing })
    expect({ code, broken }).toEqual({ code: 3, broken: ['collector'] })
    expect(of('collector')).toMatchObject({
      found: `The collector at ${failing} answered 500: The index cannot be read.`,
      fix: 'Run doctor again; if it still fails, the output of the collector has the reason.',
    })
  })

  it('exits with 3 when no collector answers, and with 2 for wrong arguments', async () => {
    const { code, broken, of } = await checks([], { url: 'http://127.0.0.1:9' })
    expect({ code, broken }).toEqual({ code: 3, broken: ['collector'] })
    expect(of('disk')?.state).toBe('skipped')
    const guarded = await checks([], await startCollector({ WAYSTATION_TOKEN: 'a token of sixteen' }))
    expect(guarded.of('collector')).toMatchObject({
      state: 'broken',
      fix: expect.stringContaining('WAYSTATION_TOKEN'),
    })
    const url = 'http://127.0.0.1:9'
    expect(await doctor(['--app', 'here'], url)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--app must be an http or https address, such as http://localhost:3000, got "here"'),
    })
    expect(await doctor(['--app', `${url}/`], url)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--app must be the address of your app, got that of the collector'),
    })
    expect(await doctor(['--dsn', 'x'], url)).toMatchObject({
      code: 2,
      err: expect.stringContaining('a DSN looks like'),
    })
  })
})
