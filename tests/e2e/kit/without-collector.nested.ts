import { test } from '../../../lib/testing/playwright'

test('a page is opened', async ({ page }) => {
  await page.goto('about:blank')
})
