import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDiagnostics, type DiagnosticsOptions } from '../../lib/diagnostics/diagnostics'
import { nodeDiagnostics } from '../../lib/diagnostics/local-diagnostics'
import { createTunnel, type Tunnel } from '../../lib/tunnel/tunnel'
import { newVisitorId, visitorCookie, visitorHash } from '../../lib/tunnel/visitor'
import { type CollectorProcess, endCollectors, startCollector } from './collector-process'

const folder = mkdtempSync(join(tmpdir(), 'waystation-diagnostics-'))
afterAll(() => {
  endCollectors()
  rmSync(folder, { recursive: true, force: true })
})

const cookieOf = (id: string): string => visitorCookie(id, false).split(';', 1)[0] ?? ''
const MINE = cookieOf(newVisitorId())
const THEIRS = cookieOf(newVisitorId())
const TOKEN = 'a-token-of-this-test'
const HEADERS = { origin: 'http://app.localhost', host: 'app.localhost' }

let collector: CollectorProcess
let tunnel: Tunnel
let page: (query: string, cookie: string | null, init?: RequestInit) => Promise<Response>

/** @param lifeboat its folder. The address of the collector may be one where nothing listens. */
function mount(lifeboat: string, collectorUrl = collector.url, more: Partial<DiagnosticsOptions> = {}): void {
  tunnel = createTunnel({
    collectorUrl,
    ...{ accepts: () => true, identifies: () => true, token: TOKEN, report: () => undefined },
    lifeboat: { folder: join(folder, lifeboat) },
    schedule: () => () => undefined,
  })
  const handle = createDiagnostics({
    ...{ collectorUrl, token: TOKEN, tunnel, recordsAddress: false },
    pageOptions: {
      ...{ environment: 'test', release: 'shop@1', tracesSampleRate: 0.5, maxBreadcrumbs: 100 },
      dataCollection: { cookies: false, httpHeaders: { request: { allow: ['accept'] } }, urlQueryParams: true },
    },
    ...more,
  })
  page = (query, cookie, init = {}) =>
    handle(
      new Request(`http://app.localhost/diagnostics${query}`, {
        ...init,
        headers: { host: 'app.localhost', ...(cookie !== null && { cookie }), ...init.headers },
      }),
    )
}

beforeEach(async () => {
  collector = await startCollector({ WAYSTATION_TOKEN: TOKEN })
})
afterEach(() => tunnel.close())

async function send(cookie: string, event: object): Promise<void> {
  const body = `${JSON.stringify({ dsn: collector.dsn })}\n{"type":"event"}\n${JSON.stringify(event)}\n`
  const request = new Request('http://app.localhost/tunnel', { method: 'POST', headers: { ...HEADERS, cookie }, body })
  expect((await tunnel.handle(request)).status).toBe(200)
}

const DELETE = { method: 'POST', headers: HEADERS, body: new URLSearchParams({ do: 'delete' }) }
const text = async (answer: Promise<Response>): Promise<string> => (await answer).text()

describe('the page of a visitor', () => {
  it('teaches a browser without records what will appear, and what pages could send', async () => {
    mount('empty')
    const answer = await page('', null)
    const shown = await answer.text()
    expect(answer.status).toBe(200)
    expect(shown).toContain('Nothing is recorded about this browser')
    expect(shown).toContain('at most 100')
    expect(shown).toContain('50 % of page loads')
    expect(shown).toContain('the environment test, the version shop@1')
    expect(shown).toContain('<dt>Cookies</dt><dd>no</dd>')
    expect(shown).toContain('<dt>Headers of requests and answers</dt><dd>request: accept</dd>')
    expect(shown).not.toContain('?delete')
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(shown).not.toContain('<script')
  })

  it('shows each record in full, escaped, with the previous and the next one', async () => {
    mount('shown')
    const breadcrumbs = [{ category: 'ui.click', message: 'button#buy' }]
    await send(MINE, { message: 'first', breadcrumbs })
    await send(THEIRS, { message: 'of another' })
    await send(MINE, { message: '<script>alert(1)</script>' })
    const list = await text(page('', MINE))
    expect(list).toContain('2 records: 2 errors.')
    expect([...list.matchAll(/\?record=(\d+)"/g)].map(([, seq]) => seq)).toEqual(['3', '1'])
    const third = await text(page('?record=3', MINE))
    expect(third).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(third).not.toContain('<script')
    expect(third).toContain('<a href="/diagnostics?record=1">Previous record (older)</a>')
    expect(await text(page('?record=1', MINE))).toMatch(/ui\.click button#buy[\s\S]*first/)
    const raw = await page('?record=1&raw', MINE)
    expect(raw.headers.get('content-disposition')).toBe('attachment; filename="record-1.envelope"')
    expect(await raw.text()).toContain('"message":"first"')
  })

  it('shows nothing of another visitor, whatever a request claims', async () => {
    mount('claimed')
    await send(MINE, { message: 'mine' })
    const hash = visitorHash(MINE.split('=')[1] ?? '')
    const forged = [
      page('', THEIRS, { headers: { 'x-waystation-visitor': hash } }),
      page(`?visitors=${hash}`, THEIRS),
      page('?download', THEIRS),
      page('', `waystation-visitor-${hash.slice(0, 4)}=${hash}`),
      page('', null, { headers: { 'x-waystation-visitor': hash } }),
    ]
    for (const answer of forged) expect(await text(answer)).not.toMatch(/mine|record=1/)
    for (const query of ['?record=1', '?record=1&raw', '?record=2', '?record=x', '?record=-1'])
      expect([query, (await page(query, THEIRS)).status]).toEqual([query, 404])
    expect(await text(page('', THEIRS, DELETE))).toContain('0 records were deleted')
    expect(await text(page('', MINE))).toContain('1 record: 1 error.')
  })

  it('is downloaded as one JSON file', async () => {
    mount('downloaded')
    await send(MINE, { message: 'first' })
    await send(MINE, { message: 'x'.repeat(300_000) })
    const answer = await page('?download', MINE)
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="sent-about-me.json"')
    const { records } = (await answer.json()) as { records: { seq: number; bodyBase64?: string }[] }
    expect(records.map(({ seq }) => seq)).toEqual([2, 1])
    expect(Buffer.from(records[0]?.bodyBase64 ?? '', 'base64').length).toBeGreaterThan(300_000)
    expect(await (await page('?download', null)).json()).toEqual({ records: [] })
  })

  it('deletes after a question, with what waits in the lifeboat', async () => {
    mount('deleted')
    await send(MINE, { message: 'recorded' })
    await send(THEIRS, { message: 'of another' })
    expect(await text(page('?delete', MINE))).toContain('<form method="post" action="/diagnostics">')
    const deleted = await text(page('', MINE, DELETE))
    expect(deleted).toContain('1 record was deleted.')
    expect(deleted).toContain('Saved runs and exports')
    expect(await text(page('', MINE))).toContain('Nothing is recorded about this browser')
    expect(await text(page('', THEIRS))).toContain('1 record: 1 error.')
  })

  it('refuses a form of another site, another form, and one that is too large', async () => {
    mount('refused')
    await send(MINE, { message: 'mine' })
    const foreign = { ...DELETE, headers: { ...HEADERS, origin: 'https://evil.test' } }
    const embedded = { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' } }
    expect([
      (await page('', MINE, foreign)).status,
      (await page('', MINE, embedded)).status,
      (await page('', MINE, { ...DELETE, body: 'do=nothing' })).status,
      (await page('', MINE, { ...DELETE, body: 'x'.repeat(1025) })).status,
      (await page('', MINE, { method: 'PUT' })).status,
      (await page('?before=now', MINE)).status,
    ]).toEqual([403, 403, 400, 413, 405, 400])
    expect(await text(page('', MINE))).toContain('1 record: 1 error.')
  })

  it('says that the collector is down, shows what waits, and deletes nothing', async () => {
    mount('down', 'http://127.0.0.1:1')
    await send(MINE, { message: 'waits' })
    const shown = await text(page('', MINE))
    expect(shown).toContain('The records cannot be read at the moment: the collector does not answer')
    expect(shown).toContain('1 in the queue of this server')
    expect(shown).toContain('Not known at the moment.')
    expect(await text(page('', THEIRS))).not.toMatch(/\d in the queue of this server/)
    for (const [query, init] of [
      ['?record=1', {}],
      ['?download', {}],
      ['', DELETE],
    ] as const)
      expect((await page(query, MINE, init)).status).toBe(503)
    expect(await tunnel.waiting([visitorHash(MINE.split('=')[1] ?? '')])).toEqual({ ok: true, value: 1 })
  })
})

describe('the choice of a visitor', () => {
  const POLICY = { byDefault: 'all', bySignal: 'errors' } as const
  const choose = (consent: string, headers: Record<string, string> = HEADERS): RequestInit => ({
    method: 'POST',
    headers,
    body: new URLSearchParams({ do: 'consent', consent }),
  })

  it('is stored in a cookie, shown with its reason, and changes no record', async () => {
    mount('consent', collector.url, { consent: POLICY })
    await send(MINE, { message: 'mine' })
    expect(await text(page('', MINE))).toContain('Now: errors and timings, because the makers of this app set it')
    expect(await text(page('', null, { headers: { 'sec-gpc': '1' } }))).toContain(
      'because your browser asks for privacy',
    )
    const saved = await page('', MINE, choose('kept'))
    expect([saved.status, saved.headers.get('location'), saved.headers.get('set-cookie')]).toEqual([
      303,
      '/diagnostics#consent',
      'waystation-consent=kept; Path=/; Max-Age=31536000; SameSite=Lax',
    ])
    const shown = await text(page('', `${MINE}; waystation-consent=kept`, { headers: { dnt: '1' } }))
    expect(shown).toContain('Now: everything, but only to this server, because you chose it.')
    expect(shown).toContain('1 record: 1 error.')
    const secure = { origin: 'https://app.localhost', host: 'app.localhost' }
    expect((await page('', MINE, choose('off', secure))).headers.get('set-cookie')).toMatch(/; Secure$/)
  })

  it('is refused for another site and an unknown level, and not offered without a policy', async () => {
    mount('consent-refused', collector.url, { consent: POLICY })
    expect((await page('', null, choose('off', { ...HEADERS, origin: 'https://evil.test' }))).status).toBe(403)
    const unknown = await page('', null, choose('some'))
    expect([unknown.status, unknown.headers.get('set-cookie')]).toEqual([400, null])
    expect(await unknown.text()).toContain('consent must be off, kept, errors, all, got &quot;some&quot;')
    mount('consent-none')
    expect(await text(page('', null))).not.toContain('What may be sent')
    expect((await page('', null, choose('off'))).status).toBe(400)
  })
})

it('a server of Node mounts the page with its path and query', async () => {
  mount('node')
  const pageOptions = { environment: 'test', tracesSampleRate: 1, maxBreadcrumbs: 100, dataCollection: {} }
  const server = createServer(nodeDiagnostics({ dsn: collector.dsn, token: TOKEN, tunnel, pageOptions }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/about/me`
  try {
    expect(await text(fetch(`${base}?delete`))).toContain(`action="/about/me"`)
    const origin = new URL(base).origin
    const done = await fetch(base, { method: 'POST', headers: { origin }, body: new URLSearchParams({ do: 'delete' }) })
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('0 records were deleted.')])
    expect((await fetch(base, { method: 'DELETE' })).status).toBe(405)
  } finally {
    server.close()
  }
})
