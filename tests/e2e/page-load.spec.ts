import { expect, leave, test, tunnelled } from './station'

test('a page load is on disk, in the list, in its waterfall and upstream, byte for byte', async ({
  page,
  station,
  home,
}) => {
  await page.goto(home)
  const after = async () =>
    (await station.collector.traces()).traces.find((trace) => trace.op === 'pageload' && trace.name === '/')
  await expect.poll(after, { timeout: 20_000 }).toBeDefined()
  const summary = await after()
  const trace = await station.traceOnce(summary?.traceId ?? '', (one) =>
    one.segments.some((segment) => segment.service === 'server'),
  )
  expect(trace.segments.map((segment) => [segment.service, segment.op]).sort()).toEqual([
    ['browser', 'pageload'],
    ['server', 'http.server'],
  ])
  const pageload = trace.segments.find((segment) => segment.op === 'pageload')
  expect(pageload).toMatchObject({ name: '/', lifecycle: station.lifecycle, environment: 'production' })
  const server = trace.segments.find((segment) => segment.service === 'server')
  expect(server?.name).toBe('GET /')
  expect(pageload?.parentSpanId).not.toBeNull()

  await page.goto(`${home}/traces`)
  await page.locator(`a[href="/traces/${trace.summary.traceId}"]`).first().click()
  await expect(page).toHaveURL(new RegExp(`/traces/${trace.summary.traceId}`))
  const rows = page.getByRole('treegrid').getByRole('row')
  await expect(rows.filter({ hasText: 'GET /' }).first()).toBeVisible()
  await expect(rows.filter({ hasText: 'pageload' }).first()).toBeVisible()
  await expect(page.getByText('accepted').first()).toBeVisible()
  await leave(page)
  await station.expectByteForByte()
})

test('what the app sends has no cookies, no bodies and no auth headers', async ({ page, context, station, home }) => {
  await context.addCookies([{ name: 'secret-cookie', value: 'crumbs-of-a-secret', url: home }])
  await page.setExtraHTTPHeaders({ authorization: 'Bearer not-for-telemetry' })
  await page.goto(`${home}/lab`)
  await page.getByTestId('lab-route-handler-error').click()
  await expect(page.getByTestId('lab-route-handler-error-result')).toHaveAttribute('data-state', 'done')
  const traceId = await page.getByTestId('lab-route-handler-error-trace').innerText()
  await station.traceOnce(traceId, (trace) => trace.errors.some((error) => error.service === 'server'))
  await leave(page)
  const everything = station.upstream
    .received()
    .map((post) => Buffer.from(post.body).toString('utf8') + JSON.stringify(post.headers))
    .join('\n')
  expect(everything).not.toContain('crumbs-of-a-secret')
  expect(everything).not.toContain('not-for-telemetry')
})

test('one session a page load, and the lifecycle that was set', async ({ page, station, home }) => {
  const before = tunnelled(station, 'session').length
  const wanted = station.lifecycle === 'static' ? 'transaction' : 'span'
  const sentBefore = tunnelled(station, wanted).length
  await page.goto(`${home}/lab`)
  await expect.poll(() => tunnelled(station, wanted).length, { timeout: 20_000 }).toBeGreaterThan(sentBefore)
  expect(tunnelled(station, 'session').length).toBe(before + 1)
  if (station.lifecycle === 'stream') expect(tunnelled(station, 'transaction')).toEqual([])
})
