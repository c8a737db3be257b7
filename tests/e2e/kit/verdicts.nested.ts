import { expect, test } from '../../../lib/kit/playwright'

test('fails for an unexpected error', async ({ page }) => {
  await page.goto('/cart')
  await page.evaluate(() => window.underTest.fail('the cart is empty'))
})

test('passes with an error that the test allows', async ({ page, telemetry }) => {
  telemetry.allow('the cart is empty')
  await page.goto('/cart')
  await page.evaluate(() => window.underTest.fail('the cart is empty'))
})

test.describe('with the option warn', () => {
  test.use({ waystation: { unexpectedErrors: 'warn' } })
  test('adds an annotation for an unexpected error', async ({ page }) => {
    await page.goto('/cart')
    await page.evaluate(() => window.underTest.fail('the cart is empty'))
  })
})

test.describe('errors are ignored', () => {
  test.use({ waystation: { unexpectedErrors: 'ignore' } })
  test('ignores unexpected errors', async ({ page }) => {
    await page.goto('/cart')
    await page.evaluate(() => window.underTest.fail('the cart is empty'))
  })
})

test.describe('errors are allowed by a list', () => {
  test.use({ waystation: { allow: [{ error: /cart/, until: '2020-01-31', why: 'until the shop opens' }] } })
  test('fails for an expired allowlist entry', async ({ page }) => {
    await page.goto('/cart')
    await page.evaluate(() => window.underTest.fail('the cart is empty'))
  })
})

test('fails for a wait that times out, with attachments', async ({ page, telemetry }) => {
  await page.goto('/cart')
  // The nearest miss: on a busy machine it may arrive later than the wait below lasts.
  await telemetry.waitFor.transaction({ op: 'pageload', name: '/cart' }, { timeout: 60_000 })
  await telemetry.waitFor.transaction({ op: 'pageload', name: '/checkout' }, { timeout: 3_000 })
})

test('fails for a wait without await', async ({ page, telemetry }) => {
  void telemetry.waitFor.transaction({ name: '/checkout' }, { timeout: 100 })
  const cart = telemetry.waitFor.transaction({ name: '/cart' })
  await page.goto('/cart')
  await cart
})

let reports = 0
test.describe('telemetry sent while a page closes', () => {
  test.afterAll(() => {
    expect(reports).toBe(1)
  })
  test.use({
    // Looked at when the pages are closed and what they sent is in.
    page: async ({ page, telemetry }, use) => {
      const report = telemetry.waitFor.clientReport((line) => line.fields.reason === 'before_send')
      const pageload = telemetry.waitFor.transaction({ name: '/leaving' })
      await use(page)
      await page.close()
      await Promise.all([report, pageload])
      reports += 1
    },
  })
  test('records client reports and the pageload', async ({ page }) => {
    await page.goto('/leaving')
    await page.evaluate(() => window.underTest.discard())
  })
})

test('has matchers that pass, are negated, and fail', async ({ page, telemetry }) => {
  const pageload = telemetry.waitFor.transaction({ op: 'pageload', name: '/matchers' })
  await page.goto('/matchers')
  const trace = await telemetry.trace(await pageload)
  await expect(trace).toHaveSpan({ op: 'pageload', name: '/matchers' })
  await expect(trace).not.toHaveSpan({ op: 'db' })
  await expect(trace).toHaveSpanTree('pageload /matchers > browser*')
  await expect(telemetry).toHaveNoUnexpectedErrors()
  await expect(telemetry).toHaveNoLoss()
  await expect(telemetry).toLeakNothing()
  await expect(async () => {
    await expect(trace).toHaveSpan({ op: 'db' })
  }).rejects.toThrow(/^the trace has no span with op "db"/)
  await expect(async () => {
    await expect(telemetry).not.toHaveNoLoss()
  }).rejects.toThrow(/^nothing was lost \(made: /)
})

test('closes the page before matchers that check for absence', async ({ page, telemetry }) => {
  await page.goto('/closing')
  await page.evaluate(() => window.underTest.discard())
  await expect(telemetry).toHaveSpan({ op: 'pageload' })
  await telemetry.settle({ keepPages: true })
  expect(page.isClosed()).toBe(false)
  // Items that a hook discards are not sent by choice, so they are no loss.
  await expect(telemetry).toHaveNoLoss()
  expect(page.isClosed()).toBe(true)
})

test('waits for open requests before it closes the page', async ({ page, telemetry }) => {
  await page.goto('/cart')
  await page.evaluate('void fetch("/late")')
  await telemetry.settle()
  expect(page.isClosed()).toBe(true)
  // The closing page may send more to the tunnel.
  const late = telemetry.requests().find(({ url }) => url.endsWith('/late'))
  expect(late).toMatchObject({ answer: { status: 200 } })
})

test('retries matchers until telemetry arrives', async ({ page, telemetry }) => {
  await page.goto('/idle')
  await expect(telemetry).toHaveSpan({ op: 'pageload' })
})

test('fails for an expectation without await', async ({ page, telemetry }) => {
  await page.goto('/cart')
  void expect(telemetry).toHaveSpan({ op: 'db' })
})

test('reports an error once if an expectation failed with it', async ({ page, telemetry }) => {
  await page.goto('/cart')
  await page.evaluate(() => window.underTest.fail('the cart is empty'))
  await expect(telemetry).toHaveNoUnexpectedErrors()
})

test('observes browser requests without cookies', async ({ page, telemetry }) => {
  await page.goto('/seen')
  const [document, ...others] = telemetry.requests()
  expect(document).toMatchObject({ method: 'GET', resourceType: 'document', answer: { status: 200 } })
  expect(new Set([document, ...others].map((one) => one?.document))).toEqual(new Set(['load-1']))
  await page.goto('/seen/again')
  expect(telemetry.requests().findLast(({ resourceType }) => resourceType === 'document')).toMatchObject({
    url: expect.stringContaining('/seen/again'),
    document: 'load-2',
  })
  expect(JSON.stringify(telemetry.requests())).not.toContain(telemetry.stamp)
})

test('records a context that the test created', async ({ browser, telemetry, baseURL }) => {
  const context = await browser.newContext({ ...(baseURL !== undefined && { baseURL }) })
  await telemetry.watch(context)
  const pageload = telemetry.waitFor.transaction({ name: '/own' })
  const page = await context.newPage()
  await page.goto('/own')
  expect((await pageload).stamp).toBe(telemetry.stamp)
  await context.close()
})

test.describe('a page without telemetry', () => {
  test('passes with an annotation', async ({ page }) => {
    await page.setContent('<h1>no telemetry</h1>')
  })
})

test('keeps the stamp cookie when the test clears all cookies', async ({ page, context, telemetry }) => {
  await page.goto('/cart')
  await context.clearCookies()
  const pageload = telemetry.waitFor.transaction({ name: '/after' })
  await page.goto('/after')
  expect((await pageload).stamp).toBe(telemetry.stamp)
})

test('fails if the page removes the stamp cookie', async ({ page }) => {
  await page.goto('/cart')
  await page.evaluate("document.cookie = 'waystation-stamp=; max-age=0; path=/'")
})
