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

test('every page and every collector route of the app refuses a foreign Host and a foreign Origin', async ({
  station,
}) => {
  const { appUrl } = station.running
  const reads = [
    '/',
    '/lab',
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
  const forwarded = [
    '/collector/query/overview',
    '/collector/query/stream',
    '/collector/query/envelopes/1',
    '/collector/query/signals?kind=log',
    '/collector/query/storage',
    '/collector/query/status',
    '/collector/query/limits',
    '/collector/query/recorded',
    '/collector/query/contract',
    '/collector/control/upstream',
  ]
  for (const path of ['/login', '/settings', '/no-such-page'])
    for (const host of ['evil.test', 'localhost.evil'])
      expect([path, host, (await send(appUrl + path, 'GET', { host })).status]).toEqual([path, host, 403])
  for (const path of [...reads, ...forwarded]) {
    for (const headers of FOREIGN)
      expect([path, headers, (await send(appUrl + path, 'GET', headers)).status]).toEqual([path, headers, 403])
    expect([path, (await send(appUrl + path, 'GET', {})).status]).not.toEqual([path, 403])
  }
  for (const path of ['lab', 'upstream', 'clear', 'redigest'].map((name) => `/collector/control/${name}`))
    for (const headers of FOREIGN)
      expect([path, headers, (await send(appUrl + path, 'POST', headers)).status]).toEqual([path, headers, 403])
  // /collector does not forward to intake endpoints, and does not accept `..`.
  for (const path of ['/collector/tunnel', '/collector/api/1/envelope', '/collector/query/%2e%2e/tunnel'])
    expect([path, (await send(appUrl + path, 'GET', {})).status]).toEqual([path, 404])
})

test('with a token the pages require a sign-in, but the tunnel does not', async ({ page }) => {
  const token = 'a-token-of-sixteen-letters'
  const running = await startWaystation({ env: { WAYSTATION_TOKEN: token, WAYSTATION_HOST: '127.0.0.1' } })
  try {
    for (const path of ['/', '/traces', '/envelopes', '/signals', '/storage', '/limits', '/stand-in'])
      expect((await send(running.appUrl + path, 'GET', {})).status).toBe(307)
    expect((await send(`${running.appUrl}/collector/query/overview`, 'GET', {})).status).toBe(401)
    const envelope = `{"dsn":"${running.localDsn}"}\n{"type":"session"}\n{}`
    expect((await fetch(`${running.appUrl}/tunnel`, { method: 'POST', body: envelope })).status).toBe(200)
    await page.goto(`${running.appUrl}/traces`)
    await expect(page).toHaveURL(/\/login\?next=%2Ftraces$/)
    await page.getByTestId('login-token').fill('a-wrong-token-of-letters')
    await page.getByTestId('login-submit').click()
    await expect(page.getByTestId('login-wrong')).toBeVisible()
    await page.getByTestId('login-token').fill(token)
    await page.getByTestId('login-submit').click()
    await expect(page).toHaveURL(`${running.appUrl}/traces`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Traces')
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ name: 'waystation-session', httpOnly: true, sameSite: 'Strict' })
    expect(cookie?.value).not.toContain(token)
    await page.goto(`${running.appUrl}/login`)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await expect(page.getByTestId('login-left')).toBeVisible()
    const left = { cookie: `waystation-session=${cookie?.value}` }
    expect((await send(`${running.appUrl}/collector/query/overview`, 'GET', left)).status).toBe(401)
    const signIn = (given: string): Promise<Response> =>
      fetch(`${running.appUrl}/login/enter`, {
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
