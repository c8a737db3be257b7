import type { Page } from '@playwright/test'
import { expect, type Telemetry, test } from '../../../lib/kit/playwright'

test.use({ waystation: { unexpectedErrors: 'ignore' } })

/** Duration of the limit. The page must receive it while it is active. */
const SECONDS = 8

/** Lets upstream limit errors, waits until the page receives the limit, and captures an error meanwhile. */
async function limited(page: Page, telemetry: Telemetry, path: string): Promise<void> {
  // The limit applies to all tests, so that of the previous test must have ended.
  await expect.poll(async () => (await telemetry.limits()).limits.length, { timeout: 40_000 }).toBe(0)
  await page.goto(path)
  await telemetry.upstream.limit({ category: 'error', seconds: SECONDS })
  const fail = async (message: string): Promise<void> => {
    await page.evaluate(async (text) => {
      window.underTest.fail(text)
      await window.underTest.flush()
    }, message)
  }
  await fail('is refused')
  await expect.poll(async () => (await telemetry.limits()).limits.length).toBeGreaterThan(0)
  await fail('is answered with the limit')
  let count = 0
  const goesOn = async (): Promise<readonly string[]> => {
    count += 1
    // The SDK deduplicates errors with the same message.
    await fail(`is for the page to keep: ${count}`)
    return (await telemetry.limits()).pages.map(({ verdict }) => verdict)
  }
  await expect.poll(goesOn, { timeout: 40_000, intervals: [300] }).not.toContain('waiting')
  await telemetry.upstream.reset()
}

test('obeys a limit', async ({ page, telemetry }) => {
  await limited(page, telemetry, '/keeps')
  await expect(telemetry).toBackOff('error')
})

test('ignores a limit', async ({ page, telemetry }) => {
  await limited(page, telemetry, '/deaf')
  await expect(telemetry).toBackOff('error')
})

test('has no page header', async ({ page, telemetry }) => {
  await limited(page, telemetry, '/nameless')
  await expect(telemetry).toBackOff('error')
})
