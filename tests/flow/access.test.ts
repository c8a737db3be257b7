import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CollectorProcess, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope } from './envelopes'

afterAll(endCollectors)

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Sends a request with any Host, which `fetch` does not allow. */
function send(url: string, method: string, headers: Record<string, string>, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers })
      response.destroy()
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const READS = [
  '/query/overview',
  '/query/traces',
  '/query/traces/00000000000000000000000000000000',
  '/query/events',
  '/query/envelopes',
  '/query/envelopes/1',
  '/query/envelopes/1?raw',
  '/query/deliveries',
  '/query/breadcrumbs',
  '/query/outcomes',
  '/query/limits',
  '/query/journal',
  '/query/items',
  '/query/recorded',
  '/query/contract',
  '/query/stream',
  '/control/upstream',
]
const CHANGES = ['/control/lab', '/control/upstream']
const APP = 'http://localhost:3999'

describe('queries and control requests', () => {
  let collector: CollectorProcess
  beforeAll(async () => {
    collector = await startCollector({
      WAYSTATION_UPSTREAM: 'stand-in',
      WAYSTATION_APP_URL: APP,
      WAYSTATION_HOSTS: 'dev.box',
    })
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
  })
  const status = async (method: string, path: string, headers: Record<string, string>): Promise<number> =>
    (await send(`${collector.url}${path}`, method, headers)).status

  it.each(READS)('GET %s is answered to loopback Hosts and the app only', async (path) => {
    const { port } = new URL(collector.url)
    const served = (code: number): boolean => code === 200 || code === 404
    for (const headers of [
      {},
      { host: `localhost:${port}` },
      { host: `[::1]:${port}` },
      { host: 'dev.box' },
      { origin: APP },
      { origin: 'http://127.0.0.1:3999' },
    ] as Record<string, string>[])
      expect([headers, served(await status('GET', path, headers))]).toEqual([headers, true])
    for (const headers of [
      { host: 'evil.test' },
      { host: 'localhost.evil' },
      { host: '127.0.0.1.evil.test' },
      { host: '0.0.0.0' },
      { origin: 'https://evil.test' },
      { origin: 'http://localhost:4000' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    ] as Record<string, string>[])
      expect([headers, await status('GET', path, headers)]).toEqual([headers, 403])
  })

  it.each(CHANGES)('POST %s is refused to a foreign page', async (path) => {
    for (const headers of [
      { origin: 'https://evil.test' },
      { origin: 'null' },
      { host: 'evil.test' },
      { 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[])
      expect([headers, await status('POST', path, headers)]).toEqual([headers, 403])
  })

  it('answer /health/live to every Host and origin', async () => {
    expect(await status('GET', '/health/live', { host: 'evil.test', origin: 'https://evil.test' })).toBe(200)
  })

  it('protect their answers from caches, frames and other sites', async () => {
    for (const path of [
      '/query/overview',
      '/query/envelopes/1?raw',
      '/query/stream',
      '/control/upstream',
      '/none',
      '/',
    ]) {
      const { headers } = await send(`${collector.url}${path}`, 'GET', {})
      expect([path, headers]).toEqual([
        path,
        expect.objectContaining({
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
          'cross-origin-resource-policy': 'same-origin',
          'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        }),
      ])
    }
  })

  it.each([
    ...READS.map((path) => ['GET', path]),
    ...['/query/none', '/query/storage', '/query/losses', '/control/redigest', '/control/services'].map((path) => [
      'GET',
      path,
    ]),
    ...['/health/live', '/health/ready', '/health/intake', '/health/none'].map((path) => ['GET', path]),
    ...['lab', 'upstream', 'clear', 'redigest', 'probe', 'dead-letters'].map((name) => ['POST', `/control/${name}`]),
  ])('carry the policy of recorded data: %s %s', async (method, path) => {
    const requests: readonly Record<string, string>[] = [{}, { host: 'evil.test' }, { 'sec-fetch-site': 'cross-site' }]
    for (const headers of requests) {
      const answer = await send(`${collector.url}${path}`, method, headers)
      expect([path, answer.status, answer.headers]).toEqual([
        path,
        answer.status,
        expect.objectContaining({
          'content-security-policy': expect.stringMatching(/^default-src 'none';.* sandbox$/),
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        }),
      ])
    }
  })

  it('refuse a frame of another site on every route but intake, and answer a link', async () => {
    const frame = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }
    for (const path of ['/health/live', '/tunnel.mjs', '/none']) expect(await status('GET', path, frame)).toBe(403)
    expect(await status('GET', '/health/live', link)).toBe(200)
    const answer = await send(`${collector.url}/api/1/envelope/`, 'POST', { ...frame, origin: APP })
    expect(answer.headers['cross-origin-resource-policy']).toBeUndefined()
    expect(answer.status).not.toBe(403)
  })

  it('require the token, if one is set, for every Host', async () => {
    const token = 'a-token-of-sixteen-letters'
    const guarded = await startCollector({ WAYSTATION_TOKEN: token, WAYSTATION_HOST: '127.0.0.1' })
    const overview = (headers: Record<string, string>) => send(`${guarded.url}/query/overview`, 'GET', headers)
    expect((await overview({})).status).toBe(401)
    expect((await overview({ host: 'localhost' })).status).toBe(401)
    expect((await overview({ authorization: 'Bearer wrong-token-of-sixteen' })).status).toBe(401)
    expect((await overview({ authorization: `Bearer ${token}` })).status).toBe(200)
    const change = await send(`${guarded.url}/control/lab`, 'POST', {
      authorization: `Bearer ${token}`,
      origin: 'https://evil.test',
    })
    expect(change.status).toBe(403)
    expect((await postEnvelope(guarded, errorEnvelope(guarded.dsn).body)).status).toBe(200)
  })

  it('keep sessions over a restart, end one or all of them, and end all with another token', async () => {
    const settings = { WAYSTATION_TOKEN: 'a-token-of-sixteen-letters', WAYSTATION_HOST: '127.0.0.1' }
    let guarded = await startCollector(settings)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const post = (action: string, body: string, headers: Record<string, string> = {}) =>
      send(`${guarded.url}/login/${action}`, 'POST', { ...form, ...headers }, body)
    const signIn = async () => {
      const { status, headers } = await post('enter', `token=${settings.WAYSTATION_TOKEN}&next=/traces`)
      expect([status, headers.location]).toEqual([303, '/traces'])
      return { cookie: String(headers['set-cookie']).split(';')[0] ?? '' }
    }
    const access = async (headers: Record<string, string>) =>
      (await send(`${guarded.url}/control/access`, 'GET', headers)).status
    const [one, other, third] = [await signIn(), await signIn(), await signIn()]
    expect(new Set([one.cookie, other.cookie, third.cookie]).size).toBe(3)
    expect([await access({}), await access({ cookie: 'waystation-session=x' }), await access(one)]).toEqual([
      401, 401, 204,
    ])

    expect((await post('leave', '', { ...one, origin: 'https://evil.test' })).status).toBe(403)
    expect((await post('leave', '', one)).status).toBe(303)
    expect([await access(one), await access(other)]).toEqual([401, 204])

    await guarded.stop()
    guarded = await guarded.restart()
    expect([await access(one), await access(other)]).toEqual([401, 204])
    // Only an open session or the token may end the others.
    await post('leave', 'everywhere=1', one)
    expect(await access(other)).toBe(204)
    await post('leave', 'everywhere=1', other)
    expect([await access(other), await access(third)]).toEqual([401, 401])

    const last = await signIn()
    await guarded.stop()
    guarded = await guarded.restart({ WAYSTATION_TOKEN: 'another-token-of-letters' })
    expect(await access(last)).toBe(401)
  })

  it('judge no login while the delay after failures lasts', async () => {
    const token = 'a-token-of-sixteen-letters'
    const guarded = await startCollector({ WAYSTATION_TOKEN: token, WAYSTATION_HOST: '127.0.0.1' })
    const signIn = (given: string) =>
      send(`${guarded.url}/login/enter`, 'POST', {}, new URLSearchParams({ token: given }).toString())
    for (let failure = 1; failure <= 4; failure += 1)
      expect((await signIn('wrong')).headers.location).toBe('/login?wrong=1&next=%2F')
    const delayed = await signIn(token)
    expect([delayed.status, delayed.headers['retry-after'], delayed.headers['set-cookie']]).toEqual([
      429,
      '1',
      undefined,
    ])
    expect((await signIn('x'.repeat(5000))).status).toBe(413)
  })

  it('require a token to listen beyond loopback', async () => {
    await expect(startCollector({ WAYSTATION_HOST: '0.0.0.0' })).rejects.toThrow(/WAYSTATION_TOKEN/)
  })
})

describe('intake', () => {
  let collector: CollectorProcess
  beforeAll(async () => {
    collector = await startCollector({ WAYSTATION_ORIGINS: 'https://app.test' })
  })
  const intake = (method: string, headers: Record<string, string>, body = '') =>
    send(`${collector.url}/api/1/envelope/`, method, headers, body)

  it.each(['http://localhost:4000', 'http://127.0.0.1:5173', 'http://[::1]:80', 'https://app.test'])(
    'accepts a page of %s, and lets it read errors and rate limits',
    async (origin) => {
      const preflight = await intake('OPTIONS', { origin, 'access-control-request-method': 'POST' })
      expect(preflight.status).toBe(204)
      expect(preflight.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, HEAD, POST, PATCH',
        vary: 'Origin',
      })
      expect(preflight.headers['access-control-allow-headers']).toContain('sentry-trace')
      for (const body of [errorEnvelope(collector.dsn).body, 'broken']) {
        const answer = await intake('POST', { origin }, body)
        expect(answer.headers).toMatchObject({
          'access-control-allow-origin': origin,
          'access-control-expose-headers': 'x-sentry-error, x-sentry-rate-limits, retry-after, x-waystation-note',
          vary: 'Origin',
        })
      }
    },
  )

  it.each(['https://evil.test', 'null', 'http://localhost.evil', 'http://127.0.0.1.evil.test'])(
    'refuses a page of %s',
    async (origin) => {
      for (const method of ['OPTIONS', 'POST'])
        expect(
          (await intake(method, { origin }, method === 'POST' ? errorEnvelope(collector.dsn).body : '')).status,
        ).toBe(403)
    },
  )

  it('refuses a foreign Host on requests without a body, which any page can cause, and counts them', async () => {
    const path = `/api/1/store/?sentry_key=local&sentry_data=${encodeURIComponent('{"message":"planted"}')}`
    const get = async (headers: Record<string, string>): Promise<number> =>
      (await send(`${collector.url}${path}`, 'GET', headers)).status
    expect(await get({ host: 'evil.test' })).toBe(403)
    expect(await get({ host: `localhost:${new URL(collector.url).port}` })).toBe(200)
    const overview = (await (await fetch(`${collector.url}/query/overview`)).json()) as { refusals: unknown[] }
    expect(overview.refusals).toContainEqual({ reason: 'host', envelopes: 1 })
  })

  it.each(['/api/1/envelope/', '/query/overview', '/health/live', '/nothing'])(
    'answers 400 to an invalid Host: %s',
    async (path) => {
      expect((await send(`${collector.url}${path}`, 'GET', { host: '127.999.1.1' })).status).toBe(400)
    },
  )

  it('accepts programs, which send no Origin, with any Host', async () => {
    expect((await intake('POST', { host: 'whatever.test' }, errorEnvelope(collector.dsn).body)).status).toBe(200)
  })
})
