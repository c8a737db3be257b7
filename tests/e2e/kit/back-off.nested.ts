import type { Page } from '@playwright/test'
import { expect, type Telemetry, test } from '../../../lib/kit/playwright'

test.use({ waystation: { unexpectedErrors: 'ignore' } })

/** Of these the page has to be told while it runs. */
const SECONDS = 8

/** Has upstream limit errors, the page told so, and an error captured while it runs. */
async function limited(page: Page, telemetry: Telemetry, path: string): Promise<void> {
  // A limit is everybody's: that of the test before has to be over.
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
  await fail('is withAnswerTimeout with the limit')
  let count = 0
  const goesOn = async (): Promise<readonly string[]> => {
    count += 1
    // An SDK takes the same words for the same error.
    await fail(`is for the page to keep: ${count}`)
    return (await telemetry.limits()).pages.map(({ verdict }) => verdict)
  }
  await expect.poll(goesOn, { timeout: 40_000, intervals: [300] }).not.toContain('waiting')
  await telemetry.upstream.reset()
}

test('a page that keeps to a limit passes', async ({ page, telemetry }) => {
  await limited(page, telemetry, '/keeps')
  await expect(telemetry).toBackOff('error')
})

test('a page that ignores a limit fails', async ({ page, telemetry }) => {
  await limited(page, telemetry, '/deaf')
  await expect(telemetry).toBackOff('error')
})

test('a page that names itself nowhere is not judged', async ({ page, telemetry }) => {
  await limited(page, telemetry, '/nameless')
  await expect(telemetry).toBackOff('error')
})
