import { field, query, rows } from './filter-bar'
import { answerOf, expect, test } from './station'

test('typing filters the list and changes the address, and Back undoes it', async ({ page, program }) => {
  await program.sendTransactions({ name: '/typed/one' }, { name: '/typed/two', op: 'navigation' })
  await page.goto('/traces')
  await expect(page.getByRole('link', { name: '/typed/one' })).toBeVisible()
  await page.keyboard.press('/')
  await expect(field(page)).toBeFocused()
  await page.keyboard.type('typed')
  await expect(rows(page)).toHaveCount(2)
  await expect.poll(() => query(page)).toBe('text=typed')
  await page.keyboard.type(' op:navigation ')
  await expect(rows(page)).toHaveCount(1)
  await expect(field(page)).toHaveValue('typed ')
  await expect(page.locator('[data-filter="op"]')).toContainText('op is navigation')
  expect(query(page)).toBe('op=navigation&text=typed')

  await page.reload()
  await expect(rows(page)).toHaveText([/\/typed\/two/])
  await expect(page.getByRole('combobox', { name: 'Op' })).toHaveValue('navigation')
  await page.goBack()
  await expect(rows(page)).toHaveCount(2)
  expect(query(page)).toBe('text=typed')
  await expect(field(page)).toHaveValue('typed')
  await page.goBack()
  await expect(field(page)).toHaveValue('')
  expect(query(page)).toBe('')
})

test('filters are set, removed and cleared by keyboard', async ({ page, program }) => {
  await program.sendTransactions({ name: '/keys/one' }, { name: '/keys/two', op: 'navigation' })
  await page.goto('/traces?text=keys')
  await expect(rows(page)).toHaveCount(2)
  const op = page.getByRole('combobox', { name: 'Op' })
  await op.selectOption('navigation')
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('combobox', { name: 'Status' }).selectOption('ok')
  const remove = page.getByRole('button', { name: 'Remove: op is navigation' })
  await remove.focus()
  await page.keyboard.press('Enter')
  await expect(remove).toBeHidden()
  await expect(op).toBeFocused()
  await page.getByRole('button', { name: 'Clear all' }).focus()
  await page.keyboard.press('Enter')
  await expect(field(page)).toBeFocused()
  expect(query(page)).toBe('')

  await page.keyboard.type('op:navigation')
  await page.keyboard.press('Enter')
  await expect.poll(() => query(page)).toBe('op=navigation')
  await page.keyboard.press('Backspace')
  await expect(field(page)).toHaveValue('op:navigation')
  await expect.poll(() => query(page)).toBe('')
  await page.keyboard.press('Escape')
  await expect(field(page)).toHaveValue('')
})

test('Back undoes a part that was typed slowly, and stays on the list', async ({ page }) => {
  await page.clock.install()
  await page.goto('/traces?environment=none')
  await field(page).click()
  await page.keyboard.type('op:navigation')
  // Longer than the pause after which search words are applied.
  await page.clock.runFor(1000)
  await page.keyboard.press('Enter')
  await expect.poll(() => query(page)).toBe('environment=none&op=navigation')
  await page.goBack()
  await expect.poll(() => query(page)).toBe('environment=none')
})

test('the first digits of a visible trace id link to the trace', async ({ page, program }) => {
  await program.sendTransactions({ name: '/begins/one' })
  await page.goto('/traces?text=begins')
  await expect(rows(page)).toHaveCount(1)
  const traceId = (await rows(page).getAttribute('data-trace')) ?? ''
  await field(page).fill(traceId.slice(0, 8))
  await expect(page.getByRole('link', { name: `open trace ${traceId.slice(0, 8)}` })).toHaveAttribute(
    'href',
    `/traces/${traceId}`,
  )
  await field(page).press('Escape')
  await page.keyboard.type('/begins')
  await expect(field(page)).toHaveValue('begins')
})

test('the address does not change without an edit', async ({ page }) => {
  await page.goto(`/traces?text=${encodeURIComponent('say "hi"')}`)
  await expect(field(page)).toHaveValue('say """hi"""')
  await field(page).press('Enter')
  await field(page).blur()
  expect(new URL(page.url()).searchParams.get('text')).toBe('say "hi"')
})

test('only matching rows appear live at the top of a filtered list', async ({ page, program }) => {
  await program.sendTransactions({ name: '/live/one' })
  await page.goto('/traces?op=pageload&text=live')
  await expect(rows(page)).toHaveCount(1)
  await expect(page.getByRole('status').filter({ hasText: 'live' }).first()).toBeVisible()
  await program.sendTransactions({ name: '/live/other', op: 'navigation' }, { name: '/live/two' })
  await expect(rows(page)).toHaveText([/\/live\/two/, /\/live\/one/])
})

test('a list without a match shows the filters, and a button clears them', async ({ page, program }) => {
  await program.sendTransactions({ name: '/none/one' })
  await page.goto('/traces?text=nonesuch&min_duration=250ms&since=15m')
  await expect(page.getByRole('heading', { name: 'No traces match' })).toBeVisible()
  await expect(page.locator('[data-no-match] li')).toHaveText([
    '250 ms or longer',
    'last 15 minutes',
    'words beginning with “nonesuch”',
  ])
  await page.getByRole('button', { name: 'Clear all filters' }).click()
  await expect(page.getByRole('link', { name: '/none/one' })).toBeVisible()
})

test('a click on a value in a row filters by it', async ({ page, program }) => {
  await program.sendTransactions({ name: '/press/one' }, { name: '/press/two', op: 'navigation' })
  await page.goto('/traces?text=press')
  await expect(rows(page)).toHaveCount(2)
  await page.getByRole('button', { name: 'Only where op is navigation' }).click()
  await expect(page).toHaveURL(/op=navigation/)
  await expect(rows(page)).toHaveText([/\/press\/two/])
})

test('Back from a row focuses it in the filtered list', async ({ page, program }) => {
  await program.sendTransactions(
    { name: '/return/one' },
    { name: '/return/two' },
    { name: '/return/other', op: 'navigation' },
  )
  await page.goto('/traces?text=return')
  await page.getByRole('combobox', { name: 'Op' }).selectOption('pageload')
  await expect(rows(page)).toHaveCount(2)
  await page.getByRole('link', { name: '/return/one' }).click()
  await expect(page.getByRole('treegrid')).toBeVisible()
  await page.goBack()
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole('link', { name: '/return/one' })).toBeFocused()
  await page.goBack()
  await expect(rows(page)).toHaveCount(3)
  expect(query(page)).toBe('text=return')
})

test('aliases in an address are converted', async ({ page }) => {
  await page.goto('/traces?env=staging&text=older')
  await expect.poll(() => query(page)).toBe('environment=staging&text=older')
  await expect(field(page)).toHaveValue('older')
})

test('a list that ends early shows how far it was searched, and a button continues', async ({
  page,
  station,
  program,
}) => {
  await program.sendTransactions({ name: '/early/one' })
  // Its journal number is known once it is digested.
  const listed = async () => (await station.collector.traces({ filter: { text: 'early' } })).traces.length
  await expect.poll(listed).toBe(1)
  const { journal } = await station.collector.traces()
  await page.route(/\/query\/traces\?.*text=early/, async (route) => {
    if (route.request().url().includes('cursor=')) return route.fallback()
    await route.fulfill(answerOf({ traces: [], next: `${journal}-aa`, journal }))
  })
  await page.goto('/traces?text=early')
  await expect(page.getByText(/^Searched back to \d\d:\d\d:\d\d, no match yet\.$/)).toBeVisible()
  await page.getByRole('button', { name: 'Search further back' }).click()
  await expect(rows(page)).toHaveText([/\/early\/one/])
  await expect(page.getByText('All matching traces are shown.')).toBeVisible()
})

for (const [path, noun, typed, expected] of [
  ['/events', 'errors', 'level:fatal', 'level=fatal'],
  ['/envelopes', 'envelopes', 'type:event', 'type=event'],
  ['/signals?kind=log', 'logs', 'level:error', 'kind=log&level=error'],
] as const) {
  test(`${path} is filtered in the same way`, async ({ page }) => {
    await page.goto(path)
    await field(page, noun).fill(typed)
    const answered = page.waitForResponse((response) => response.url().includes(typed.replace(':', '=')))
    await page.keyboard.press('Enter')
    expect((await answered).status()).toBe(200)
    await expect.poll(() => query(page)).toBe(expected)
  })
}
