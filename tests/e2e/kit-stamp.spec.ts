import { expect, test } from './station'

test('what a page load causes is the test’s: the browser’s segment and the server’s', async ({ page, telemetry }) => {
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

test('what a request without a page causes is the test’s by its cookie: a segment and an error of the server', async ({
  page,
  telemetry,
}) => {
  telemetry.allow(/in a route handler/)
  const error = telemetry.waitFor.error({ title: /in a route handler/ })
  const segment = telemetry.waitFor.transaction({ name: 'POST /lab/api/route-error' })
  expect((await page.request.post('/lab/api/route-error')).status()).toBe(500)
  expect(await error).toMatchObject({ stamp: telemetry.stamp, service: 'server', handled: false })
  expect(await segment).toMatchObject({ stamp: telemetry.stamp, traceId: (await error).traceId })
})
