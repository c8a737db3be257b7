import { cause, expect, test } from './station'

test.use({ env: { WAYSTATION_UPSTREAM: 'stand-in' }, unexpectedErrors: 'ignore' })
test.describe.configure({ timeout: 120_000 })

test('a page obeys a rate limit, and the limits board shows it', async ({ page, telemetry }) => {
  await telemetry.upstream.limit({ category: 'error', seconds: 10 })
  const limited = telemetry.waitFor.error({ service: 'browser' })
  await cause(page, 'handled-error')
  await limited
  // The answer to the next envelope contains the limit; from then on the page sends no errors.
  const again = async (): Promise<number> => {
    await page.getByTestId('lab-handled-error').click()
    return (await telemetry.limits()).pages.length
  }
  await expect.poll(again, { timeout: 20_000 }).toBeGreaterThan(0)
  await page.getByTestId('lab-handled-error').click()
  await expect
    .poll(async () => (await telemetry.limits()).pages.map(({ verdict }) => verdict), { timeout: 30_000 })
    .not.toContain('waiting')
  await expect(telemetry).toBackOff('error')
  await telemetry.upstream.reset()
})
