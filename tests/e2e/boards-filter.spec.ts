import { choice, field, openFacet, query, rows } from './filter-bar'
import { answerOf, expect, test } from './station'

test('typing filters the list and changes the address, and Back undoes it', async ({ page, program }) => {
  await program.sendTransactions({ name: '/typed/one' }, { name: '/typed/two', op: 'navigation' })
  await page.goto('/traces')
  await expect(page.getByRole('link', { name: '/typed/one' })).toBeVisible()
  await page.keyboard.press('/')
  await expect(field(page)).toBeFocused()
  await page.keyboard.type('typed')
  await expect(rows(page)).toHaveCount(2)
  await expect.poll(() => query(page)).toBe('typed')
  await page.keyboard.type(' op:navig')
  // An incomplete term does not apply.
  await expect(rows(page)).toHaveCount(2)
  await page.keyboard.type('ation ')
  await expect(rows(page)).toHaveText([/\/typed\/two/])
  await expect.poll(() => query(page)).toBe('typed op:navigation')
  await expect(page.locator('[data-facet="op"]')).toContainText('navigation')

  await page.reload()
  await expect(rows(page)).toHaveText([/\/typed\/two/])
  await expect(field(page)).toHaveValue('typed op:navigation')
  await page.goBack()
  await expect(field(page)).toHaveValue('')
  expect(query(page)).toBe('')
})

test('Enter applies a term that was typed slowly, and Back undoes it and stays on the list', async ({ page }) => {
  await page.clock.install()
  await page.goto('/traces?q=environment:none')
  await field(page).click()
  await page.keyboard.press('End')
  await page.keyboard.type(' op:navigation')
  // Longer than the pause after which words apply.
  await page.clock.runFor(1000)
  expect(query(page)).toBe('environment:none')
  await page.keyboard.press('Enter')
  await expect.poll(() => query(page)).toBe('environment:none op:navigation')
  await page.goBack()
  await expect.poll(() => query(page)).toBe('environment:none')
})

test('keys and values are completed by keyboard, with the counts of the newest rows', async ({ page, program }) => {
  await program.sendTransactions({ name: '/complete/one' }, { name: '/complete/two', op: 'navigation' })
  await page.goto('/traces')
  await expect(page.getByRole('link', { name: '/complete/one' })).toBeVisible()
  await field(page).click()
  await page.keyboard.type('op')
  const options = page.getByRole('option')
  await expect(options).toHaveText(['op:'])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(field(page)).toHaveValue('op:')
  const navigation = options.filter({ hasText: 'navigation' })
  await expect(navigation).toHaveText(/^navigation\d+$/)
  await expect(page.getByText(/^of the newest \d+$/)).toBeVisible()
  await page.keyboard.type('nav')
  await page.keyboard.press('ArrowDown')
  await expect(navigation).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Tab')
  await expect(field(page)).toHaveValue('op:navigation ')
  await expect(options).toHaveCount(0)
  await expect.poll(() => query(page)).toBe('op:navigation')
  await page.keyboard.press('Escape')
  await expect.poll(() => query(page)).toBe('')
  await expect(field(page)).toBeFocused()
})

test('a facet shows counts; its values are added and removed by keyboard', async ({ page, program }) => {
  await program.sendTransactions({ name: '/facet/one' }, { name: '/facet/two', op: 'navigation' })
  await page.goto('/traces?q=facet')
  await expect(rows(page)).toHaveCount(2)
  await page.locator('[data-facet="op"]').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText(/^of the newest \d+ traces$/)).toBeVisible()
  await expect(choice(page, /^navigation \d+$/)).toBeVisible()
  await page.keyboard.type('nav')
  await expect(choice(page, /^navigation/)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(rows(page)).toHaveCount(1)
  await expect(choice(page, /^navigation/)).toBeChecked()
  await choice(page, /^pageload/).click()
  await expect(rows(page)).toHaveCount(2)
  expect(query(page)).toBe('facet op:navigation op:pageload')
  await choice(page, /^navigation/).click()
  await expect.poll(() => query(page)).toBe('facet op:pageload')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)

  await openFacet(page, 'Status')
  await expect(choice(page, /^(?:ok|error|unset) [\d,]+$/)).toHaveCount(3)
  // Which of them are absent depends on what other tests sent to this collector.
  const isDisabled = page.locator('[aria-disabled="true"]')
  await expect(choice(page, / [1-9][\d,]*$/).and(isDisabled)).toHaveCount(0)
  expect(await choice(page, / 0$/).and(isDisabled).count()).toBe(await choice(page, / 0$/).count())
  await page.keyboard.press('Escape')
  await openFacet(page, 'Duration')
  await choice(page, '>1s').click()
  await choice(page, '<10ms').click()
  await expect.poll(() => query(page)).toBe('facet op:pageload duration:<10ms')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'clear', exact: true }).click()
  await expect(field(page)).toBeFocused()
  expect(query(page)).toBe('')
})

test('the address does not change without an edit', async ({ page }) => {
  const typed = 'say """hi"""'
  await page.goto(`/traces?${new URLSearchParams({ q: typed })}`)
  await expect(field(page)).toHaveValue(typed)
  await field(page).press('Enter')
  await field(page).blur()
  expect(query(page)).toBe(typed)
})

test('only matching rows appear live at the top of a filtered list', async ({ page, program }) => {
  await program.sendTransactions({ name: '/live/one' })
  await page.goto('/traces?q=op:pageload live')
  await expect(rows(page)).toHaveCount(1)
  await expect(page.getByRole('status').filter({ hasText: 'live' }).first()).toBeVisible()
  await program.sendTransactions({ name: '/live/other', op: 'navigation' }, { name: '/live/two' })
  await expect(rows(page)).toHaveText([/\/live\/two/, /\/live\/one/])
})

test('a list without a match counts what is hidden, and removes its terms one by one', async ({ page, program }) => {
  await program.sendTransactions({ name: '/none/one' })
  await page.goto('/traces?q=nonesuch duration:<1h op:pageload')
  const none = page.locator('[data-no-match]')
  await expect(none.getByRole('heading', { name: 'No traces match' })).toBeVisible()
  await expect(none).toContainText(/0 shown, \d+ hidden by filters\./)
  await expect(page.locator('[data-count="shown"]')).toHaveText(/^0 shown, [1-9]\d* hidden by filters$/)
  await none.getByRole('button', { name: 'Clear nonesuch' }).click()
  await expect(page.getByRole('link', { name: '/none/one' })).toBeVisible()
  expect(query(page)).toBe('duration:<1h op:pageload')
  await page.goto('/traces?q=nonesuch')
  await none.getByRole('button', { name: 'Clear the filter' }).click()
  await expect(page.getByRole('link', { name: '/none/one' })).toBeVisible()
})

test('a click on a value in a row filters by it, and with Alt leaves it out', async ({ page, program }) => {
  await program.sendTransactions({ name: '/press/one' }, { name: '/press/two', op: 'navigation' })
  await page.goto('/traces?q=press')
  await expect(rows(page)).toHaveCount(2)
  const only = page.getByRole('button', { name: 'Only where op is navigation' })
  await only.click({ modifiers: ['Alt'] })
  await expect(rows(page)).toHaveText([/\/press\/one/])
  expect(query(page)).toBe('press -op:navigation')
  await page.goBack()
  await only.click()
  await expect(rows(page)).toHaveText([/\/press\/two/])
  expect(query(page)).toBe('press op:navigation')
})

test('Back from a row focuses it in the filtered list', async ({ page, program }) => {
  await program.sendTransactions(
    { name: '/return/one' },
    { name: '/return/two' },
    { name: '/return/other', op: 'navigation' },
  )
  await page.goto('/traces?q=return')
  await openFacet(page, 'Operation')
  await choice(page, /^pageload/).click()
  await page.keyboard.press('Escape')
  await expect(rows(page)).toHaveCount(2)
  await page.getByRole('link', { name: '/return/one' }).click()
  await expect(page.getByRole('treegrid')).toBeVisible()
  await page.goBack()
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole('link', { name: '/return/one' })).toBeFocused()
  await page.goBack()
  await expect(rows(page)).toHaveCount(3)
  expect(query(page)).toBe('return')
})

test('parameters of an old address become terms once', async ({ page }) => {
  await page.goto('/traces?env=staging&text=older&since=15m')
  await expect.poll(() => new URL(page.url()).search).toBe('?q=environment%3Astaging+older+time%3A%3E%3D15m')
  await expect(field(page)).toHaveValue('environment:staging older time:>=15m')
})

test('a view is saved by name in this browser, opened and deleted', async ({ page }) => {
  await page.goto('/traces?q=op:pageload')
  const views = page.getByRole('button', { name: 'Views' })
  await views.click()
  await page.getByRole('textbox', { name: 'Name of this view' }).fill('page loads')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'page loads', exact: true })).toBeVisible()
  await page.goto('/traces')
  await views.click()
  await page.getByRole('button', { name: 'page loads', exact: true }).click()
  await expect(field(page)).toHaveValue('op:pageload')
  await views.click()
  await page.getByRole('button', { name: 'Delete the view page loads' }).click()
  await expect(page.getByRole('button', { name: 'page loads', exact: true })).toHaveCount(0)
  await page.goto('/envelopes')
  await views.click()
  await expect(page.getByRole('button', { name: 'page loads', exact: true })).toHaveCount(0)
})

test('a list that ends early shows how far it was searched, and a button continues', async ({
  page,
  station,
  program,
}) => {
  await program.sendTransactions({ name: '/early/one' })
  // Its journal number is known once it is digested.
  const listed = async () => (await station.collector.traces({ q: 'early' })).traces.length
  await expect.poll(listed).toBe(1)
  const { journal } = await station.collector.traces()
  await page.route(/\/query\/traces\?.*q=early/, async (route) => {
    if (route.request().url().includes('cursor=')) return route.fallback()
    await route.fulfill(answerOf({ traces: [], next: `${journal}-aa`, journal }))
  })
  await page.goto('/traces?q=early')
  await expect(page.getByText(/^Searched back to \d\d:\d\d:\d\d, no match yet\.$/)).toBeVisible()
  await page.getByRole('button', { name: 'Search further back' }).click()
  await expect(rows(page)).toHaveText([/\/early\/one/])
  await expect(page.getByText('All matching traces are shown.')).toBeVisible()
})

for (const [path, noun, typed] of [
  ['/events', 'errors', 'level:fatal'],
  ['/envelopes', 'envelopes', 'type:event'],
  ['/logs?kind=log', 'logs', 'level:error'],
  ['/deliveries?show=attempts', 'attempts', 'status:413'],
] as const) {
  test(`${path} is filtered in the same way`, async ({ page }) => {
    await page.goto(path)
    await field(page, noun).fill(typed)
    const answered = page.waitForResponse((response) => response.url().includes(encodeURIComponent(typed)))
    await page.keyboard.press('Enter')
    expect((await answered).status()).toBe(200)
    await expect.poll(() => query(page)).toBe(typed)
  })
}
