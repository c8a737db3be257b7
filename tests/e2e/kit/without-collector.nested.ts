import { test } from '../../../lib/kit/playwright'

test('a page is opened', async ({ page }) => {
  await page.goto('about:blank')
})
