import { test as base, expect } from '../../../lib/kit/playwright'
import { type PageServer, startPageServer } from './page-server'

const test = base.extend<object, { readonly dsn: string; readonly pages: PageServer }>({
  dsn: [process.env.WAYSTATION_DSN ?? '', { option: true, scope: 'worker' }],
  pages: [
    async ({ dsn }, use) => {
      const pages = await startPageServer(dsn)
      await use(pages)
      await pages.close()
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ pages }, use) => use(pages.url),
})

test('passes on its retry', async ({ page }, { retry }) => {
  await page.goto('/')
  if (retry === 0) await page.evaluate(() => window.underTest.fail('only at first'))
})

test('sets a rate limit', async ({ page, telemetry }) => {
  telemetry.allow(/is (?:refused|answered|dropped)/)
  await page.goto('/')
  await telemetry.upstream.limit({ category: 'error', seconds: 30 })
  for (const message of ['is refused', 'is answered with the limit', 'is dropped']) {
    await page.evaluate(async (text) => {
      window.underTest.fail(text)
      await window.underTest.flush()
    }, message)
    await expect.poll(async () => (await telemetry.limits()).limits.length).toBeGreaterThan(0)
  }
})
