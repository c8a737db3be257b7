import type { Telemetry } from '../../lib/kit/playwright'
import { expect, leave, openLab, type Page, test } from './station'

/** Holds the body of a page that Next fetches for a navigation, which its headers do not wait for. */
async function holdPages(page: Page, path: string, ms: number): Promise<void> {
  await page.addInitScript(
    ([held, delay]) => {
      const { fetch } = window
      window.fetch = async (input, init) => {
        const response = await fetch(input, init)
        if (!response.url.includes(held) || response.body === null) return response
        const body = response.body.pipeThrough(
          new TransformStream({ start: () => new Promise((resolve) => setTimeout(resolve, delay)) }),
        )
        return Object.defineProperty(new Response(body, response), 'url', { value: response.url })
      }
    },
    [`${path}?_rsc=`, ms] as const,
  )
}

/** The navigations of a test, by their start. */
const navigationsOf = (telemetry: Telemetry) =>
  telemetry
    .evidence()
    .segments.filter(({ op }) => op === 'navigation')
    .sort((a, b) => a.startUs - b.startUs)
    .map(({ name, attributes }) => ({
      name,
      type: attributes['navigation.type'],
      reason: attributes['sentry.idle_span_finish_reason'],
    }))

for (const [id, path] of [
  ['visit-id', '/lab/items/7'],
  ['visit-path', '/lab/docs/traces/reading'],
  ['visit-optional-path', '/lab/shop'],
  ['visit-intercepted', '/lab/photos/1'],
] as const) {
  test(`${id}: sends one navigation with its path as the name`, async ({ page, station, telemetry }) => {
    const navigation = telemetry.waitFor.transaction({ op: 'navigation', name: path })
    await openLab(page)
    await page.getByTestId(`lab-${id}`).click()
    await expect(page).toHaveURL(path)
    await page.goto(`/traces/${(await navigation).traceId}`)
    await expect(page.getByRole('treegrid').getByRole('row').filter({ hasText: path }).first()).toBeVisible()
    await leave(page)
    await telemetry.settle()
    const navigations = telemetry.evidence().segments.filter(({ op }) => op === 'navigation')
    expect(navigations.map(({ name }) => name)).toEqual([path])
    await station.expectByteForByte()
  })
}

test('Back and the link after it send one navigation each', async ({ page, telemetry }) => {
  const item = '/lab/items/7'
  await openLab(page)
  for (const [index, step] of ['link', 'back', 'link'].entries()) {
    if (step === 'link') await page.getByTestId('lab-visit-id').click()
    else await page.goBack()
    await expect.poll(() => navigationsOf(telemetry)).toHaveLength(index + 1)
  }
  await leave(page)
  await telemetry.settle()
  expect(navigationsOf(telemetry)).toEqual([
    { name: item, type: 'router.push', reason: 'idleTimeout' },
    { name: '/lab', type: 'router.traverse', reason: 'idleTimeout' },
    { name: item, type: 'router.push', reason: 'idleTimeout' },
  ])
})

test('a navigation to the present address ends like any other, and `mailto:` starts none', async ({
  page,
  telemetry,
}) => {
  await openLab(page)
  const hrefs = ['#lab-visit-id', '#lab-visit-id', 'mailto:nobody@example.com', '/lab?again']
  for (const [index, href] of hrefs.entries()) {
    await page.evaluate((target) => {
      const { next } = window as Window & { next?: { router?: { push: (href: string) => void } } }
      next?.router?.push(target)
    }, href)
    await expect.poll(() => navigationsOf(telemetry)).toHaveLength(index < 2 ? index + 1 : index)
  }
  await leave(page)
  await telemetry.settle()
  const expected = { name: '/lab', type: 'router.push', reason: 'idleTimeout' }
  expect(navigationsOf(telemetry)).toEqual([expected, expected, expected])
})

for (const [id, path, held] of [
  ['not-found', '/lab/nowhere', 0],
  ['visit-not-found', '/lab/items/none', 0],
  ['visit-not-found', '/lab/items/none', 3000],
] as const) {
  test(`${id}${held === 0 ? '' : ', after three seconds'}: sends no segment of a missing page, and a client report counts it`, async ({
    page,
    station,
    telemetry,
  }) => {
    const category = station.lifecycle === 'static' ? 'transaction' : 'span'
    const report = telemetry.waitFor.clientReport({ fields: { reason: 'ignored', category } }, { timeout: 30_000 })
    if (held > 0) await holdPages(page, path, held)
    await openLab(page)
    await page.getByTestId(`lab-${id}`).click()
    await expect(page).toHaveURL(path)
    await expect(page.getByRole('heading', { level: 1, name: 'This page does not exist' })).toBeVisible()
    // A segment of the missing page would have been sent by then.
    const shown = await page.evaluate(() => performance.now())
    await page.waitForFunction((shown) => performance.now() > shown + 3500, shown)
    await leave(page)
    await report
    await expect(telemetry).toKeepTheContract({ only: ['not-found'] })
    const missing = telemetry
      .evidence()
      .segments.filter((segment) => JSON.stringify(segment).includes(path) || /_not-found|\/404/.test(segment.name))
    expect(missing).toEqual([])
    await station.expectByteForByte()
  })
}
