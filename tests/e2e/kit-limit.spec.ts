import { cause, expect, test } from './station'

test.use({ env: { WAYSTATION_UPSTREAM: 'stand-in' }, unexpectedErrors: 'ignore' })
test.describe.configure({ timeout: 120_000 })

test('a page that is told of a limit keeps to it, and is seen to', async ({ page, telemetry }) => {
  await telemetry.upstream.limit({ category: 'error', seconds: 10 })
  const limited = telemetry.waitFor.error({ service: 'browser' })
  await cause(page, 'handled-error')
  await limited
  // The answer to the next envelope tells of the limit; what the page captures from then on it keeps to itself.
  await expect.poll(async () => (await telemetry.limits()).pages.length, { timeout: 20_000 }).toBeGreaterThan(0)
  await page.getByTestId('lab-handled-error').click()
  await expect
    .poll(async () => (await telemetry.limits()).pages.map(({ verdict }) => verdict), { timeout: 30_000 })
    .not.toContain('waiting')
  await expect(telemetry).toBackOff('error')
  await telemetry.upstream.reset()
})
