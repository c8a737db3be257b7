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

test('documents are counted, and pages that posted among them', async ({ page, station }) => {
  const counts = async () => (await station.collector.overview()).pages
  const before = await counts()
  for (let at = 0; at < 2; at += 1) await cause(page, 'handled-error')
  await page.goto('/traces')
  // A page whose requests to the tunnel are blocked.
  await page.route('**/t/k3', (route) => route.abort('blockedbyclient'))
  await page.goto('/lab')
  await expect.poll(counts).toEqual({ documents: before.documents + 3, posted: before.posted + 2 })
})
