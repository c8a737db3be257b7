import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOARD_PAGES } from '../../lib/wire/pages'
import { WIRE_HEADER, WIRE_VERSION } from '../../lib/wire/wire-version'
import { type CollectorProcess, endCollectors, startCollector } from './collector-process'

afterAll(endCollectors)

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Sends a request with any Host, which `fetch` does not allow. */
function send(url: string, method: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const HTML = { accept: 'text/html,application/xhtml+xml' }
const pathOf = (path: string): string => path.replace(':id', '0123456789abcdef0123456789abcdef')

describe('the boards of a collector', () => {
  let collector: CollectorProcess
  beforeAll(async () => {
    collector = await startCollector({ WAYSTATION_APP_URL: 'off' })
  })
  const get = (path: string, headers: Record<string, string> = HTML) => send(`${collector.url}${path}`, 'GET', headers)

  it.each(BOARD_PAGES.map(({ path }) => path))('serve %s with scripts and styles of their own only', async (path) => {
    const { status, headers, text } = await get(pathOf(path))
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^text\/html/)
    expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self'; worker-src 'self';")
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(headers['cache-control']).toBe('no-store')
    expect(text).toMatch(/<title>[^<]*Waystation<\/title>/)
  })

  it('load the scripts and styles of their page with the document, which browsers keep', async () => {
    const { text } = await get('/traces')
    const files = [...text.matchAll(/(?:src|href)="(\/boards\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(files.filter((path) => path.endsWith('.css'))).toHaveLength(2)
    expect(text).toMatch(/<link rel="stylesheet" data-href="\/boards\/more-styles-\w+\.css">/)
    expect((await get('/')).text).toMatch(/<link rel="stylesheet" href="\/boards\/more-styles-\w+\.css">/)
    expect(text).toMatch(/rel="modulepreload" href="\/boards\/traces-board-\w+\.js"/)
    expect(text).not.toMatch(/trace-board-\w+\.js/)
    const kept = 'public, max-age=31536000, immutable'
    const answers = await Promise.all(files.map(async (path) => ({ path, ...(await get(path, {})) })))
    for (const { path, status, headers } of answers) {
      expect([path, status, headers['cache-control']]).toEqual([path, 200, kept])
      expect(headers['content-type']).toMatch(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
    }
    expect((await get('/login')).text).toContain(files.find((path) => path.endsWith('.css')))
  })

  it.each(['/boards/old-ABCDEFGH.js', '/boards/..%2Fboards.json', '/boards/%2e%2e%2fmain.js', '/boards/'])(
    'serve no other file of the build: %s',
    async (path) => {
      expect((await get(path, {})).status).toBe(404)
    },
  )

  it('answer an unknown address with a page for a browser and with JSON for a program', async () => {
    const page = await get('/nothing/here')
    expect([page.status, page.headers['content-type']]).toEqual([404, expect.stringContaining('text/html')])
    const problem = await get('/nothing/here', { accept: '*/*' })
    expect(problem.status).toBe(404)
    expect(JSON.parse(problem.text)).toMatchObject({ detail: expect.stringContaining('/nothing/here') })
  })

  it('write what an address contains as text', async () => {
    const { text } = await get(`/traces/${encodeURIComponent('"><script>')}`)
    expect(text).not.toContain('"><script>')
    expect(text).toContain('&lt;')
  })

  it('are for loopback Hosts, not for frames of other sites', async () => {
    for (const path of ['/', '/traces', '/stand-in']) {
      expect([path, (await get(path, { ...HTML, host: 'evil.test' })).status]).toEqual([path, 403])
      const frame = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }
      expect([path, (await get(path, { ...HTML, ...frame })).status]).toEqual([path, 403])
    }
  })

  it('get answers with the version of the wire', async () => {
    for (const path of ['/query/overview', '/query/nothing', '/control/services'])
      expect([path, (await get(path, {})).headers[WIRE_HEADER]]).toEqual([path, WIRE_VERSION])
  })

  it('have metrics for Prometheus, for those who may read', async () => {
    const metrics = await get('/metrics', {})
    expect([metrics.status, metrics.headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(metrics.text).toMatch(/^waystation_disk_budget_bytes \d+$/m)
    expect((await get('/metrics', { host: 'evil.test' })).status).toBe(403)
  })

  it('let only their own origin change anything: another app may listen at the default address', async () => {
    const clear = (origin: string) => send(`${collector.url}/control/clear`, 'POST', { origin }, '{}')
    expect((await clear('http://localhost:3000')).status).toBe(403)
    expect((await clear(collector.url)).status).toBe(200)
  })
})

describe('the boards of a collector with a token', () => {
  const token = 'a-token-of-sixteen-letters'

  it('lead to the login page, and return after it', async () => {
    const collector = await startCollector({ WAYSTATION_TOKEN: token, WAYSTATION_HOST: '127.0.0.1' })
    const send1 = (path: string, headers: Record<string, string> = HTML) =>
      send(`${collector.url}${path}`, 'GET', headers)
    const refused = await send1('/traces?op=pageload')
    expect([refused.status, refused.headers.location]).toEqual([303, '/login?next=%2Ftraces%3Fop%3Dpageload'])
    const login = await send1('/login?next=%2Ftraces&wrong=1')
    expect(login.text).toContain('name="next" value="/traces"')
    expect(login.text).toContain('The token is wrong.')
    expect((await send1('/login?next=https://evil.test')).text).toContain('name="next" value="/"')
    const form = new URLSearchParams({ token, next: '/traces' }).toString()
    const entered = await send(`${collector.url}/login/enter`, 'POST', { origin: collector.url }, form)
    expect([entered.status, entered.headers.location]).toEqual([303, '/traces'])
    const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
    expect((await send1('/traces', { ...HTML, cookie })).status).toBe(200)
    expect((await send1('/login', { ...HTML, cookie })).text).toContain('Sign out everywhere')
    expect(login.text).not.toContain('Sign out')
  })
})
