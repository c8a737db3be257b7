import { request } from 'node:http'
import { startWaystation } from './running'
import { expect, test } from './station'

interface Answer {
  readonly status: number
  readonly location: string | null
}

/** Sends a request with any Host, which `fetch` does not allow. */
function send(url: string, method: string, headers: Record<string, string>): Promise<Answer> {
  const { hostname, port, pathname } = new URL(url)
  return new Promise((resolve, reject) => {
    const host = hostname === 'localhost' ? '127.0.0.1' : hostname
    const sent = request(
      { host, port, path: pathname, method, headers: { host: `localhost:${port}`, ...headers } },
      (answer) => {
        resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? null })
        answer.destroy()
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

const FOREIGN: readonly Record<string, string>[] = [
  { host: 'evil.test' },
  { host: 'localhost.evil' },
  { origin: 'https://evil.test' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
]

/** The app forwards to the collector below this path. */
const PREFIX = { app: '/collector', collector: '' } as const

test('every page and every route for pages refuses a foreign Host and a foreign Origin', async ({ station, site }) => {
  const { appUrl, collectorUrl } = station.running
  const base = site === 'app' ? appUrl : collectorUrl
  const reads = [
    '/',
    ...(site === 'app' ? ['/lab'] : []),
    '/traces',
    `/traces/${'0'.repeat(32)}`,
    '/envelopes',
    '/envelopes/1',
    `/events/${'0'.repeat(32)}`,
    '/signals',
    '/deliveries',
    '/losses',
    '/runs',
    '/storage',
    '/limits',
    '/contract',
    '/stand-in',
  ]
  const routes = [
    '/query/overview',
    '/query/stream',
    '/query/envelopes/1',
    '/query/signals?kind=log',
    '/query/storage',
    '/query/runs',
    '/query/status',
    '/query/limits',
    '/query/recorded',
    '/query/contract',
    '/control/upstream',
  ].map((path) => PREFIX[site] + path)
  for (const path of site === 'app' ? ['/login', '/settings', '/no-such-page', '/feedback'] : ['/login'])
    for (const host of ['evil.test', 'localhost.evil'])
      expect([path, host, (await send(base + path, 'GET', { host })).status]).toEqual([path, host, 403])
  for (const path of [...reads, ...routes]) {
    for (const headers of FOREIGN)
      expect([path, headers, (await send(base + path, 'GET', headers)).status]).toEqual([path, headers, 403])
    expect([path, (await send(base + path, 'GET', {})).status]).not.toEqual([path, 403])
  }
  for (const path of ['lab', 'upstream', 'clear', 'redigest', 'runs'].map((name) => `${PREFIX[site]}/control/${name}`))
    for (const headers of FOREIGN)
      expect([path, headers, (await send(base + path, 'POST', headers)).status]).toEqual([path, headers, 403])
  if (site === 'collector') return
  // /collector does not forward to intake endpoints, and does not accept `..`.
  for (const path of ['/collector/tunnel', '/collector/api/1/envelope', '/collector/query/%2e%2e/tunnel'])
    expect([path, (await send(base + path, 'GET', {})).status]).toEqual([path, 404])
})

test('with a token the pages require a sign-in, but the tunnel does not', async ({ page, site }) => {
  const token = 'a-token-of-sixteen-letters'
  const env = { WAYSTATION_TOKEN: token, WAYSTATION_HOST: '127.0.0.1' }
  const running = await startWaystation({ app: site === 'app', env })
  const base = site === 'app' ? running.appUrl : running.collectorUrl
  const overview = `${base}${PREFIX[site]}/query/overview`
  try {
    for (const path of ['/', '/traces', '/envelopes', '/signals', '/storage', '/limits', '/stand-in'])
      expect((await send(base + path, 'GET', {})).status).toBe(site === 'app' ? 307 : 303)
    expect((await send(overview, 'GET', {})).status).toBe(401)
    const envelope = `{"dsn":"${running.localDsn}"}\n{"type":"session"}\n{}`
    expect((await fetch(`${base}/tunnel`, { method: 'POST', body: envelope })).status).toBe(200)
    await page.goto(`${base}/traces`)
    await expect(page).toHaveURL(/\/login\?next=%2Ftraces$/)
    await page.getByLabel('Token').fill('a-wrong-token-of-letters')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'wrong' })).toBeVisible()
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page).toHaveURL(`${base}/traces`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Traces')
    const cookie = (await page.context().cookies()).find(({ name }) => name === 'waystation-session')
    expect(cookie).toMatchObject({ name: 'waystation-session', httpOnly: true, sameSite: 'Strict' })
    expect(cookie?.value).not.toContain(token)
    await page.goto(`${base}/login`)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await expect(page.getByText('You are signed out.')).toBeVisible()
    const left = { cookie: `waystation-session=${cookie?.value}` }
    expect((await send(overview, 'GET', left)).status).toBe(401)
    const signIn = (given: string): Promise<Response> =>
      fetch(`${base}/login/enter`, {
        method: 'POST',
        body: new URLSearchParams({ token: given, next: '/' }),
        redirect: 'manual',
      })
    for (let failure = 1; failure <= 4; failure += 1)
      expect((await signIn('wrong')).headers.get('location')).toContain('/login?wrong=1')
    // While the delay lasts, the right token is not judged either.
    const delayed = await signIn(token)
    expect([delayed.status, delayed.headers.get('retry-after')]).toEqual([429, '1'])
    expect(running.output()).toContain('[login] refused a wrong token, 4 in a row')
  } finally {
    await running.stop()
  }
})
