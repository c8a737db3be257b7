import { discarded, expect, leave, test, tunnelled } from './station'

for (const [id, path] of [
  ['visit-id', '/lab/items/7'],
  ['visit-path', '/lab/docs/traces/reading'],
  ['visit-optional-path', '/lab/shop'],
  ['visit-intercepted', '/lab/photos/1'],
] as const) {
  test(`${id}: one navigation, named by its path`, async ({ page, station, home }) => {
    const navigations = async () => {
      const { segments } = await station.collector.segments({ filter: { op: 'navigation' }, limit: 200 })
      return segments.filter(({ name }) => name === path)
    }
    const before = (await navigations()).length
    await page.goto(`${home}/lab`)
    await page.getByTestId(`lab-${id}`).click()
    await expect(page).toHaveURL(`${home}${path}`)
    await expect.poll(async () => (await navigations()).length, { timeout: 20_000 }).toBe(before + 1)
    const [navigation] = await navigations()
    await page.goto(`${home}/traces/${navigation?.traceId}`)
    await expect(page.getByRole('treegrid').getByRole('row').filter({ hasText: path }).first()).toBeVisible()
    await leave(page)
    await station.expectByteForByte()
  })
}

for (const [id, path] of [
  ['not-found', '/lab/nowhere'],
  ['visit-not-found', '/lab/items/none'],
] as const) {
  test(`${id}: nothing of a missing page arrives, and the client report accounts for it`, async ({
    page,
    station,
    home,
  }) => {
    const category = station.lifecycle === 'static' ? 'transaction' : 'span'
    const ignored = (): number => discarded(station).get(`ignored ${category}`) ?? 0
    const before = ignored()
    await page.goto(`${home}/lab`)
    await page.getByTestId(`lab-${id}`).click()
    await expect(page).toHaveURL(`${home}${path}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    // The pageload of the lab itself, which came before, is the proof that what would follow had its time.
    await page.waitForFunction(() => performance.now() > 3500)
    await leave(page)
    await expect.poll(ignored).toBeGreaterThan(before)
    const segments = [
      ...tunnelled(station, 'transaction').map((one) => JSON.stringify([one.transaction, one.request, one.contexts])),
      ...tunnelled(station, 'span').flatMap((one) =>
        (one.items as { is_segment: boolean }[]).filter((span) => span.is_segment).map((span) => JSON.stringify(span)),
      ),
    ]
    expect(segments.filter((text) => text.includes(path))).toEqual([])
    const { traces } = await station.collector.traces({ limit: 200 })
    expect(traces.filter((trace) => trace.name.includes(path) || /_not-found|\/404/.test(trace.name))).toEqual([])
    await station.expectByteForByte()
  })
}
