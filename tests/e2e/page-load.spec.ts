import { expect, leave, test } from './station'

test('a page load is on disk, in the list, in its waterfall and upstream, byte for byte', async ({
  page,
  station,
  telemetry,
}) => {
  const pageload = telemetry.waitFor.transaction({ op: 'pageload', name: '/', service: 'browser' })
  const server = telemetry.waitFor.transaction({ op: 'http.server', name: 'GET /', service: 'server' })
  await page.goto('/')
  expect(await pageload).toMatchObject({ lifecycle: station.lifecycle, environment: 'production' })
  await server
  const trace = await telemetry.trace(await pageload)
  expect(trace.segments).toHaveLength(2)
  await expect(trace).toHaveSpanTree('http.server "GET /" >> pageload /')

  await page.goto('/traces')
  await page.locator(`a[href="/traces/${trace.traceId}"]`).first().click()
  await expect(page).toHaveURL(new RegExp(`/traces/${trace.traceId}`))
  const rows = page.getByRole('treegrid').getByRole('row')
  await expect(rows.filter({ hasText: 'GET /' }).first()).toBeVisible()
  await expect(rows.filter({ hasText: 'pageload' }).first()).toBeVisible()
  await expect(page.getByText('accepted').first()).toBeVisible()
  await leave(page)
  await station.expectByteForByte()
})

test('what the app sends has no cookies, no bodies and no auth headers', async ({
  page,
  context,
  station,
  telemetry,
}) => {
  telemetry.allow(/in a route handler/)
  const error = telemetry.waitFor.error({ service: 'server', title: /in a route handler/ })
  await context.addCookies([{ name: 'secret-cookie', value: 'crumbs-of-a-secret', url: station.home }])
  await page.setExtraHTTPHeaders({ authorization: 'Bearer not-for-telemetry' })
  await page.goto('/lab')
  await page.getByTestId('lab-route-handler-error').click()
  await error
  // It closes the page first, so that what is sent while it closes is in.
  await expect(telemetry).toLeakNothing()
  const everything = station.upstream
    .received()
    .map((post) => Buffer.from(post.body).toString('utf8') + JSON.stringify(post.headers))
    .join('\n')
  expect(everything).not.toContain('crumbs-of-a-secret')
  expect(everything).not.toContain('not-for-telemetry')
  expect(everything).not.toContain(telemetry.stamp)
})

test('one session a page load, and the lifecycle that was set', async ({ page, station, telemetry }) => {
  const pageload = telemetry.waitFor.transaction({ op: 'pageload' })
  await page.goto('/lab')
  expect((await pageload).lifecycle).toBe(station.lifecycle)
  await leave(page)
  await telemetry.settle()
  const { items } = telemetry.evidence()
  expect(items.filter(({ type }) => type === 'session')).toHaveLength(1)
  expect(items.map(({ type }) => type)).not.toContain(station.lifecycle === 'static' ? 'span' : 'transaction')
})
