import { field, query, rows } from './filter-bar'
import { answerOf, expect, test } from './station'

test('rows under the pointer stand still, and new rows wait in the bar', async ({ page, program }) => {
  await program.sendTransactions({ name: '/still/one' }, { name: '/still/two' })
  await page.goto('/traces?q=still')
  await expect(rows(page)).toHaveCount(2)
  const first = page.getByRole('link', { name: '/still/two' })
  await first.hover()
  const box = await first.boundingBox()
  await program.sendTransactions({ name: '/still/three' }, { name: '/still/four' })
  const pill = page.getByRole('button', { name: '2 new' })
  await expect(pill).toBeVisible()
  await expect(rows(page)).toHaveCount(2)
  expect(await first.boundingBox()).toEqual(box)
  const bar = await page.getByRole('search').boundingBox()
  const place = await pill.boundingBox()
  expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0))
  await page.keyboard.press('n')
  await expect(rows(page)).toHaveText([/four/, /three/, /two/, /one/])
  await page.mouse.move(0, 0)
  await program.sendTransactions({ name: '/still/five' })
  await expect(rows(page)).toHaveCount(5)
})

test('a paused list changes when it is resumed, and says how much waits', async ({ page, program }) => {
  await program.sendTransactions({ name: '/paused/one' })
  await page.goto('/traces?q=paused')
  await expect(rows(page)).toHaveCount(1)
  await page.keyboard.press('p')
  await program.sendTransactions({ name: '/paused/two' })
  await expect(page.getByText('paused, 1 new waits')).toBeVisible()
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(rows(page)).toHaveText([/two/, /one/])
  await expect(page.getByText(/^paused, /)).toHaveCount(0)
})

test('the page says when the live stream is cut, and when it is back', async ({ page }) => {
  const state = page.locator('[data-connection]').first()
  await page.route('**/query/stream', (route) => route.abort(), { times: 2 })
  await page.goto('/traces')
  await expect(state).toContainText(/retry in \d s/)
  await expect(state).toHaveText(/^live again since \d\d:\d\d:\d\d$/)
})

test('records of own telemetry are hidden, counted and shown by a switch', async ({ page }) => {
  const own = { own: 31, ownIsAtLeast: true, stored: 40, hidden: null, evicted: 7, oldest: Date.now() }
  const answer = answerOf({ traces: [], next: null, journal: 1, problems: [], leftOut: own })
  await page.route(/\/query\/traces(\?|$)/, (route) => route.fulfill(answer))
  await page.goto('/traces')
  const shown = page.getByRole('button', { name: 'own 31+' })
  await expect(shown).toHaveAttribute('aria-pressed', 'false')
  await shown.click()
  await expect(shown).toHaveAttribute('aria-pressed', 'true')
  expect(query(page)).toBe('own:show')
  await shown.click()
  await expect.poll(() => query(page)).toBe('')
})

test('the end of a list says that older records were evicted', async ({ page, station, program }) => {
  await program.sendTransactions({ name: '/evicted/one' })
  const listed = async () => (await station.collector.traces({ q: 'evicted' })).traces.length
  await expect.poll(listed).toBe(1)
  const read = await station.collector.traces({ q: 'evicted' })
  const answer = answerOf({ ...read, leftOut: { ...read.leftOut, evicted: 1204 } })
  await page.route(/\/query\/traces(\?|$)/, (route) => route.fulfill(answer))
  await page.goto('/traces?q=evicted')
  const evicted = page.locator('[data-evicted]')
  await expect(evicted).toHaveText(
    /^Older records were evicted \(1,204\); the oldest is of (?:\d\d-\d\d )?\d\d:\d\d:\d\d\. Storage$/,
  )
  await expect(evicted.getByRole('link')).toHaveAttribute('href', '/storage')
})

test('settled records are cleared from the bar after a confirmation', async ({ page, program }) => {
  await program.sendTransactions({ name: '/settled/one' })
  await page.goto('/traces?q=settled')
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText('accepted')
  page.once('dialog', (dialog) => dialog.dismiss())
  const clear = async () => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Clear settled records' }).click()
  }
  await clear()
  await expect(rows(page)).toHaveCount(1)
  page.once('dialog', (dialog) => dialog.accept())
  await clear()
  await expect(rows(page)).toHaveCount(0)
})

test('a saved run that is shown offers no clearing', async ({ page, station }) => {
  const answer = answerOf({ ...(await station.collector.status()), shown: 'run 7' })
  await page.route('**/query/status', (route) => route.fulfill(answer))
  await page.goto('/traces')
  await expect(page.getByRole('button', { name: 'Views' })).toBeVisible()
  await expect(page.getByText('run 7').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'More', exact: true })).toHaveCount(0)
})

for (const width of [360, 390, 1440]) {
  test(`at ${width} px a list does not scroll sideways, and a row opens with one click`, async ({ page, program }) => {
    await program.sendTransactions({ name: `/width/${width}` })
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`/traces?q=width ${width}`)
    await expect(rows(page)).toHaveCount(1)
    const excess = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(await excess()).toBeLessThanOrEqual(0)
    await expect(field(page)).toBeInViewport()
    await rows(page).locator('td').last().click()
    await expect(page.getByRole('treegrid')).toBeVisible()
    for (const path of ['/envelopes', '/deliveries', '/events', '/errors']) {
      await page.goto(path)
      await expect(page.locator('[data-count="shown"]')).toBeVisible()
      expect(await excess(), path).toBeLessThanOrEqual(0)
    }
  })
}
