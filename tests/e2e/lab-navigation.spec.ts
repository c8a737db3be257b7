import { expect, leave, openLab, test } from './station'

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

for (const [id, path] of [
  ['not-found', '/lab/nowhere'],
  ['visit-not-found', '/lab/items/none'],
] as const) {
  test(`${id}: sends no segment of a missing page, and a client report counts it`, async ({
    page,
    station,
    telemetry,
  }) => {
    const category = station.lifecycle === 'static' ? 'transaction' : 'span'
    const report = telemetry.waitFor.clientReport({ fields: { reason: 'ignored', category } }, { timeout: 30_000 })
    await openLab(page)
    await page.getByTestId(`lab-${id}`).click()
    await expect(page).toHaveURL(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    // A segment of the missing page would have been sent by then.
    await page.waitForFunction(() => performance.now() > 3500)
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
