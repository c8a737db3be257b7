import { expect, leave, test } from './station'

test('a page load appears in the list and the waterfall, and reaches upstream byte for byte', async ({
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

  await page.goto('/traces?q=own:show')
  await page.locator(`a[href="/traces/${trace.traceId}"]`).first().click()
  await expect(page).toHaveURL(new RegExp(`/traces/${trace.traceId}`))
  const rows = page.getByRole('treegrid').getByRole('row')
  await expect(rows.filter({ hasText: 'GET /' }).first()).toBeVisible()
  await expect(rows.filter({ hasText: 'pageload' }).first()).toBeVisible()
  await expect(page.getByText('accepted').first()).toBeVisible()
  await leave(page)
  await station.expectByteForByte()
})

test('telemetry of the app contains no cookies and no authorization headers', async ({
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
  // The matcher closes the page first, so it includes telemetry that is sent on unload.
  await expect(telemetry).toLeakNothing()
  const everything = station.upstream
    .received()
    .map((post) => Buffer.from(post.body).toString('utf8') + JSON.stringify(post.headers))
    .join('\n')
  expect(everything).not.toContain('crumbs-of-a-secret')
  expect(everything).not.toContain('not-for-telemetry')
  expect(everything).not.toContain(telemetry.stamp)
})

test('a page load sends one session and uses the configured lifecycle', async ({ page, station, telemetry }) => {
  const pageload = telemetry.waitFor.transaction({ op: 'pageload' })
  await page.goto('/lab')
  expect((await pageload).lifecycle).toBe(station.lifecycle)
  await leave(page)
  await telemetry.settle()
  const { items } = telemetry.evidence()
  expect(items.filter(({ type }) => type === 'session')).toHaveLength(1)
  expect(items.map(({ type }) => type)).not.toContain(station.lifecycle === 'static' ? 'span' : 'transaction')
})
