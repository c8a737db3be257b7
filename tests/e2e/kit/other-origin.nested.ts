import { expect, test as plain } from '@playwright/test'
import { test as kit } from '../../../lib/kit/playwright'

for (const [name, test] of [
  ['plain', plain],
  ['kit', kit],
] as const)
  test(`${name}: a page calls another origin`, async ({ page }) => {
    await page.goto('/calls')
    const url = `${process.env.KIT_OTHER_URL}/${name}`
    expect(await page.evaluate((address) => window.underTest.call(address), url)).toBe('answered')
  })
