import { cause, expect, leave, test } from './station'

// A station of its own: its pages send to another path.
test.use({ env: { WAYSTATION_TUNNEL_PATH: '/t/k3' }, unexpectedErrors: 'ignore' })

test('pages send to the path of the setting, and keep the contract', async ({ page, telemetry, request }) => {
  const { eventId } = await cause(page, 'handled-error')
  await telemetry.waitFor.error({ eventId })
  await cause(page, 'slow-call')
  await page.waitForFunction(() => performance.now() > 3500)
  await leave(page)
  await telemetry.settle()
  const posts = telemetry.requests().filter(({ method, url }) => method === 'POST' && /\/(?:tunnel|t\/)/.test(url))
  expect(new Set(posts.map(({ url }) => new URL(url).pathname))).toEqual(new Set(['/t/k3']))
  await expect(telemetry).toKeepTheContract({ only: ['tunnel', 'trace-headers-probe', 'trace-context'] })

  const other = await request.post('/t/k4', { data: '' })
  expect([other.status(), (await other.json()).detail]).toEqual([
    404,
    'no tunnel has this name; WAYSTATION_TUNNEL_PATH sets it',
  ])
  for (const path of ['/t/k3', '/tunnel'])
    expect((await request.post(path, { data: '' })).headers()['x-sentry-error']).toMatch(/^empty body/)
  for (const path of ['/t/k3/v1/traces', '/t/k4/v1/traces'])
    expect((await request.post(path, { data: {} })).status()).toBe(path.includes('k3') ? 401 : 404)
})
