import { expect, leave, openLab, test } from './station'

test('the app passes the contract for a page load, a navigation and a call', async ({ page, telemetry }) => {
  const server = telemetry.waitFor.transaction({ service: 'server', name: /^GET \/lab\/api\/slow/ })
  await openLab(page)
  await page.getByTestId('lab-slow-call').click()
  await server
  await leave(page)
  await expect(telemetry).toKeepTheContract({ preset: 'contract' })
  await expect(telemetry).toHaveNoUnexpectedErrors()
  // Requests of a page that is left do arrive, but the SDK counts them as lost, because it never reads the answer.
  await expect(telemetry).toHaveNoLoss({ allow: ['network_error'] })
})

test('browser requests pass the contract: trace headers stay with the app, telemetry uses the tunnel', async ({
  page,
  telemetry,
}) => {
  const pageload = telemetry.waitFor.transaction({ op: 'pageload' })
  await openLab(page)
  await page.getByTestId('lab-slow-call').click()
  await pageload
  await telemetry.waitFor.transaction({ service: 'server', name: /^GET \/lab\/api\/slow/ })
  const traced = telemetry.requests().filter(({ headers }) => 'sentry-trace' in headers)
  expect(traced.length).toBeGreaterThan(0)
  await expect(telemetry).toKeepTheContract({ only: ['trace-headers-probe', 'trace-context', 'tunnel'] })
})

test('error fallbacks pass the contract: generic text with digest', async ({ page, telemetry }) => {
  telemetry.allow(/on the server|React error #441/)
  await openLab(page)
  await page.getByTestId('lab-server-page-error').click()
  await expect(page.getByTestId('error-fallback').getByTestId('digest')).toBeVisible()
  await expect(telemetry).toKeepTheContract({ only: ['error-fallback'] })
})
