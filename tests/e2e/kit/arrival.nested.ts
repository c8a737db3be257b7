import { expect, test } from '../../../lib/kit/playwright'

test('passes with documents that need no pageload', async ({ page, telemetry, browser, baseURL }) => {
  await page.goto('/moved')
  await page.goto('/missing')
  await page.goto('/text')
  await page.goto('/unfinished', { waitUntil: 'commit' })
  await page.route('**/mocked', (route) => route.fulfill({ contentType: 'text/html', body: '<h1>mocked</h1>' }))
  await page.goto('/mocked')
  const withoutScripts = await browser.newContext({ javaScriptEnabled: false, ...(baseURL && { baseURL }) })
  await telemetry.watch(withoutScripts)
  await (await withoutScripts.newPage()).goto('/plain')
  await page.goto('/last')
  await telemetry.settle()
  expect(telemetry.evidence().segments.map(({ name }) => name)).toEqual(['/moved-to', '/last'])
  await withoutScripts.close()
})

test('passes with pages that are closed at once', async ({ page, context }) => {
  const other = await context.newPage()
  await other.goto('/slow/closed')
  await other.close()
  await page.goto('/slow/open')
})

test('fails for a page without a pageload', async ({ page }) => {
  await page.goto('/first')
  await page.goto('/plain')
})

test.describe('with an exempt page', () => {
  test.use({ waystation: { pagesWithout: ['/pl*'] } })
  test('passes without its pageload', async ({ page }) => {
    await page.goto('/first')
    await page.goto('/plain')
  })
})

test('fails for refused envelopes', async ({ page }) => {
  await page.goto('/misrouted')
  await page.evaluate(() => window.underTest.fail('never seen'))
  await page.evaluate(() => window.underTest.flush())
})

test.describe('with a warning', () => {
  test.use({ waystation: { refusedEnvelopes: 'warn' } })
  test('warns of refused envelopes', async ({ page }) => {
    await page.goto('/misrouted')
    await page.evaluate(() => window.underTest.fail('never seen'))
    await page.evaluate(() => window.underTest.flush())
  })
})

test('asks a server that fails', async ({ page }) => {
  await page.goto('/asking')
  expect(await page.evaluate(async () => (await fetch('/failing')).status)).toBe(500)
})

for (const name of ['first', 'second'])
  test(`receives what its page posts to the collector: ${name}`, async ({ page, telemetry }) => {
    telemetry.allow(`failed in the ${name} test`)
    const load = telemetry.waitFor.transaction({ op: 'pageload' })
    await page.goto(`/direct/${name}`)
    expect(await load).toMatchObject({ name: `/direct/${name}`, stamp: null })
    await page.evaluate((of) => window.underTest.fail(`failed in the ${of} test`), name)
    await page.evaluate(() => window.underTest.discard())
    await telemetry.settle()
    const { events, segments, signals } = telemetry.evidence()
    expect(events.map(({ title }) => title)).toEqual([`Error: failed in the ${name} test`])
    expect(segments).toHaveLength(1)
    expect(signals.map(({ kind }) => kind)).toContain('client_report')
  })
