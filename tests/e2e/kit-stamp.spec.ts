import { expect, test } from './station'

test('assigns browser and server segments of a page load to the test', async ({ page, telemetry }) => {
  const pageload = telemetry.waitFor.transaction({ op: 'pageload', name: '/' })
  const server = telemetry.waitFor.transaction({ service: 'server', name: 'GET /' })
  await page.goto('/')
  expect((await server).traceId).toBe((await pageload).traceId)
  expect(await pageload).toMatchObject({
    stamp: telemetry.stamp,
    service: 'browser',
    lifecycle: (await server).lifecycle,
  })
  expect(await server).toMatchObject({ stamp: telemetry.stamp })
})

test('assigns server telemetry of a request without a page to the test, by cookie', async ({ page, telemetry }) => {
  telemetry.allow(/in a route handler/)
  const error = telemetry.waitFor.error({ title: /in a route handler/ })
  const segment = telemetry.waitFor.transaction({ name: 'POST /lab/api/route-error' })
  expect((await page.request.post('/lab/api/route-error')).status()).toBe(500)
  expect(await error).toMatchObject({ stamp: telemetry.stamp, service: 'server', handled: false })
  expect(await segment).toMatchObject({ stamp: telemetry.stamp, traceId: (await error).traceId })
})

test('assigns telemetry of the edge runtime to the test', async ({ page, telemetry }) => {
  telemetry.allow(/in the edge runtime/)
  const error = telemetry.waitFor.error({ title: /in the edge runtime/ })
  expect((await page.request.post('/lab/api/edge-error')).status()).toBe(500)
  expect(await error).toMatchObject({ stamp: telemetry.stamp })
})

test('assigns telemetry of a program’s request to the test, by header', async ({ request, telemetry }) => {
  const segment = telemetry.waitFor.transaction({ name: 'GET /lab/api/slow' })
  await request.get('/lab/api/slow?ms=1', { headers: telemetry.headers })
  expect(await segment).toMatchObject({ stamp: telemetry.stamp, service: 'server' })
})

test('separates two browsers that run at the same time', async ({ page, browser, baseURL, telemetry }) => {
  const other = await browser.newContext({ baseURL })
  const [own] = await Promise.all([
    telemetry.waitFor.transaction({ service: 'server', name: 'GET /' }),
    page.goto('/'),
    (await other.newPage()).goto('/'),
  ])
  await other.close()
  await telemetry.settle()
  const roots = telemetry.evidence().segments.filter(({ service, name }) => service === 'server' && name === 'GET /')
  expect(roots.map(({ traceId }) => traceId)).toEqual([own.traceId])
})
