import { expect, leave, test } from './station'

test('the app’s own pages keep the contract: a page load, a navigation and a call', async ({ page, telemetry }) => {
  const server = telemetry.waitFor.transaction({ service: 'server', name: /^GET \/lab\/api\/slow/ })
  await page.goto('/lab')
  await page.getByTestId('lab-slow-call').click()
  await server
  await leave(page)
  await expect(telemetry).toKeepTheContract()
  await expect(telemetry).toHaveNoUnexpectedErrors()
  // What a page is sending while it is left arrives, and counts as lost for the SDK, which never reads the answer.
  await expect(telemetry).toHaveNoLoss({ allow: ['network_error'] })
})

test('what the browser itself asked for is judged: trace headers stay with the app, and nothing goes past the tunnel', async ({
  page,
  telemetry,
}) => {
  const pageload = telemetry.waitFor.transaction({ op: 'pageload' })
  await page.goto('/lab')
  await page.getByTestId('lab-slow-call').click()
  await pageload
  await telemetry.waitFor.transaction({ service: 'server', name: /^GET \/lab\/api\/slow/ })
  const traced = telemetry.requests().filter(({ headers }) => 'sentry-trace' in headers)
  expect(traced.length).toBeGreaterThan(0)
  await expect(telemetry).toKeepTheContract({ only: ['trace-headers-probe', 'tunnel'] })
})

test('what a page shows in place of an error is judged: the generic text, with the digest', async ({
  page,
  telemetry,
}) => {
  telemetry.allow(/on the server|React error #441/)
  await page.goto('/lab')
  await page.getByTestId('lab-server-page-error').click()
  await expect(page.getByTestId('error-fallback').getByTestId('digest')).toBeVisible()
  await expect(telemetry).toKeepTheContract({ only: ['error-fallback'] })
})
