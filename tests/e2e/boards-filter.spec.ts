import { transactionEnvelope } from '../flow/envelopes'
import { post } from './post'
import { expect, type Page, type Station, test } from './station'

const field = (page: Page, noun = 'traces') => page.getByRole('searchbox', { name: `Filter ${noun}` })
const rows = (page: Page) => page.locator('tbody tr')

/** Transactions by their names, oldest first, that are shown when this resolves. */
async function send(
  station: Station,
  given: readonly { readonly name: string; readonly op?: string }[],
): Promise<void> {
  const made = given.map((one) => transactionEnvelope(station.running.localDsn, one))
  for (const { body } of made) expect(await post(station, body)).toBe(200)
  for (const { traceId } of made) await station.traceOnce(traceId, (trace) => trace.segments.length === 1)
}

/** The query of the page's address, in the order of its names. */
const asked = (page: Page): string => {
  const params = new URL(page.url()).searchParams
  params.sort()
  return params.toString()
}

test('what is typed narrows the list, stands in the address, and a step back undoes it', async ({
  page,
  station,
  home,
}) => {
  await send(station, [{ name: '/typed/one' }, { name: '/typed/two', op: 'navigation' }])
  await page.goto(`${home}/traces`)
  await expect(page.getByRole('link', { name: '/typed/one' })).toBeVisible()
  await page.keyboard.press('/')
  await expect(field(page)).toBeFocused()
  await page.keyboard.type('typed')
  await expect(rows(page)).toHaveCount(2)
  await expect.poll(() => asked(page)).toBe('text=typed')
  await page.keyboard.type(' op:navigation ')
  await expect(rows(page)).toHaveCount(1)
  await expect(field(page)).toHaveValue('typed ')
  await expect(page.locator('[data-filter="op"]')).toContainText('op is navigation')
  expect(asked(page)).toBe('op=navigation&text=typed')

  await page.reload()
  await expect(rows(page)).toHaveText([/\/typed\/two/])
  await expect(page.getByRole('combobox', { name: 'Op' })).toHaveValue('navigation')
  await page.goBack()
  await expect(rows(page)).toHaveCount(2)
  expect(asked(page)).toBe('text=typed')
  await expect(field(page)).toHaveValue('typed')
  await page.goBack()
  await expect(field(page)).toHaveValue('')
  expect(asked(page)).toBe('')
})

test('a filter is chosen, taken off and cleared without a mouse', async ({ page, station, home }) => {
  await send(station, [{ name: '/keys/one' }, { name: '/keys/two', op: 'navigation' }])
  await page.goto(`${home}/traces?text=keys`)
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
  expect(asked(page)).toBe('')

  await page.keyboard.type('op:navigation')
  await page.keyboard.press('Enter')
  await expect.poll(() => asked(page)).toBe('op=navigation')
  await page.keyboard.press('Backspace')
  await expect(field(page)).toHaveValue('op:navigation')
  await expect.poll(() => asked(page)).toBe('')
  await page.keyboard.press('Escape')
  await expect(field(page)).toHaveValue('')
})

test('a wrong filter is told what is meant, and the list stays as it was', async ({ page, station, home }) => {
  await send(station, [{ name: '/wrong/one' }])
  await page.goto(`${home}/traces?text=wrong`)
  await expect(rows(page)).toHaveCount(1)
  await field(page).click()
  await page.keyboard.type(' status:eror')
  await page.keyboard.press('Enter')
  const said = page.getByRole('search', { name: 'Narrow the traces' }).getByRole('status')
  await expect(said).toContainText('meant is one of ok, error, unset; did you mean error?')
  await expect(page.getByRole('combobox', { name: 'Status' })).toHaveAttribute('aria-invalid', 'true')
  await expect(rows(page)).toHaveText([/\/wrong\/one/])
  await said.getByRole('button', { name: 'status:error' }).click()
  await expect(said).toBeEmpty()
  await expect(page.getByRole('heading', { name: 'None of the traces kept here matches' })).toBeVisible()

  await page.keyboard.press('/')
  await page.keyboard.press('End')
  await page.keyboard.type(' stauts:ok ')
  await expect(said).toContainText('Traces cannot be narrowed by “stauts”; did you mean status?')
  await expect(field(page)).toHaveValue('wrong stauts:ok ')
  await said.getByRole('button', { name: 'status:ok', exact: true }).click()
  await expect(rows(page)).toHaveText([/\/wrong\/one/])
})

test('a step back undoes a part that was typed slowly, and stays on the list', async ({ page, home }) => {
  await page.clock.install()
  await page.goto(`${home}/traces?environment=none`)
  await field(page).click()
  await page.keyboard.type('op:navigation')
  // Longer than the pause after which words are looked for.
  await page.clock.runFor(1000)
  await page.keyboard.press('Enter')
  await expect.poll(() => asked(page)).toBe('environment=none&op=navigation')
  await page.goBack()
  await expect.poll(() => asked(page)).toBe('environment=none')
})

test('what was refused stays in the field, and the list says what it still shows', async ({ page, station, home }) => {
  await send(station, [{ name: '/refused/one' }])
  await page.goto(`${home}/traces?text=refused&op=pageload`)
  await expect(rows(page)).toHaveCount(1)
  await field(page).fill('duration:5s..1s refused')
  await page.keyboard.press('Enter')
  const still = 'Still showing: op is pageload, “refused”.'
  await expect(page.getByRole('search').getByRole('status')).toContainText(still)
  await expect(field(page)).toHaveValue('duration:5s..1s refused')
  await expect(page.locator('[data-filter="min_duration"]')).toHaveAttribute('data-wrong', 'true')
  await expect(page.locator('[data-filter="max_duration"]')).toHaveAttribute('data-wrong', 'true')
  await expect(rows(page)).toHaveText([/\/refused\/one/])
  await expect(page.getByText('These are all traces kept here that match.')).toBeHidden()
  await field(page).fill('refused')
  await page.keyboard.press('Enter')
  await expect.poll(() => asked(page)).toBe('op=pageload&text=refused')
  await expect(page.getByText('These are all traces kept here that match.')).toBeVisible()
})

test('an address with a wrong value asks for nothing, and offers what was meant', async ({ page, home }) => {
  await page.goto(`${home}/traces?status=eror&op=pageload`)
  await expect(page.getByRole('heading', { name: 'Not asked for traces yet' })).toBeVisible()
  await page.locator('[data-not-asked]').getByRole('button', { name: 'status:error' }).click()
  await expect.poll(() => asked(page)).toBe('op=pageload&status=error')
  await expect(page.locator('[data-not-asked]')).toBeHidden()
})

test('a name in an address that there is not is told, with the nearest', async ({ page, home }) => {
  await page.goto(`${home}/traces?statsu=error`)
  const said = page.getByRole('search', { name: 'Narrow the traces' }).getByRole('status')
  await expect(said).toContainText('Traces cannot be narrowed by “statsu”; did you mean status?')
  await said.getByRole('button', { name: 'status:error' }).click()
  await expect.poll(() => asked(page)).toBe('status=error')
  await expect(said).toBeEmpty()
})

test('the beginning of an id, as it is shown, leads to the trace', async ({ page, station, home }) => {
  await send(station, [{ name: '/begins/one' }])
  await page.goto(`${home}/traces?text=begins`)
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

test('what an address asks for stays to the letter while nobody types', async ({ page, home }) => {
  await page.goto(`${home}/traces?text=${encodeURIComponent('say "hi"')}`)
  await expect(field(page)).toHaveValue('say """hi"""')
  await field(page).press('Enter')
  await field(page).blur()
  expect(new URL(page.url()).searchParams.get('text')).toBe('say "hi"')
})

test('a number above the envelopes leads to one, and is no mistake', async ({ page, home }) => {
  await page.goto(`${home}/envelopes`)
  await field(page, 'envelopes').fill('17')
  await field(page, 'envelopes').press('Enter')
  const said = page.getByRole('search', { name: 'Narrow the envelopes' }).getByRole('status')
  await expect(said).toHaveText('This is an id: open envelope 17')
  await expect(field(page, 'envelopes')).not.toHaveAttribute('aria-invalid')
})

test('what comes and matches comes on top, and nothing else does', async ({ page, station, home }) => {
  await send(station, [{ name: '/live/one' }])
  await page.goto(`${home}/traces?op=pageload&text=live`)
  await expect(rows(page)).toHaveCount(1)
  await expect(page.getByRole('status').filter({ hasText: 'live' }).first()).toBeVisible()
  await send(station, [{ name: '/live/other', op: 'navigation' }, { name: '/live/two' }])
  await expect(rows(page)).toHaveText([/\/live\/two/, /\/live\/one/])
})

test('a list without a match names what was asked for, and a press clears it', async ({ page, station, home }) => {
  await send(station, [{ name: '/none/one' }])
  await page.goto(`${home}/traces?text=nonesuch&min_duration=250ms&since=15m`)
  await expect(page.getByRole('heading', { name: 'None of the traces kept here matches' })).toBeVisible()
  await expect(page.locator('[data-no-match] li')).toHaveText([
    '250 ms or longer',
    'last 15 minutes',
    'words beginning with “nonesuch”',
  ])
  await page.getByRole('button', { name: 'Clear all filters' }).click()
  await expect(page.getByRole('link', { name: '/none/one' })).toBeVisible()
})

test('a value in a row narrows to it at a press', async ({ page, station, home }) => {
  await send(station, [{ name: '/press/one' }, { name: '/press/two', op: 'navigation' }])
  await page.goto(`${home}/traces?text=press`)
  await expect(rows(page)).toHaveCount(2)
  await page.getByRole('button', { name: 'Only where op is navigation' }).click()
  await expect(page).toHaveURL(/op=navigation/)
  await expect(rows(page)).toHaveText([/\/press\/two/])
})

test('a step back from a row leads to it, in the list as narrow as it was', async ({ page, station, home }) => {
  await send(station, [{ name: '/return/one' }, { name: '/return/two' }, { name: '/return/other', op: 'navigation' }])
  await page.goto(`${home}/traces?text=return`)
  await page.getByRole('combobox', { name: 'Op' }).selectOption('pageload')
  await expect(rows(page)).toHaveCount(2)
  await page.getByRole('link', { name: '/return/one' }).click()
  await expect(page.getByRole('treegrid')).toBeVisible()
  await page.goBack()
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole('link', { name: '/return/one' })).toBeFocused()
  await page.goBack()
  await expect(rows(page)).toHaveCount(3)
  expect(asked(page)).toBe('text=return')
})

test('an old address leads to the one of today', async ({ page, home }) => {
  await page.goto(`${home}/traces?q=older&only=errors`)
  await expect.poll(() => asked(page)).toBe('status=error&text=older')
  await expect(field(page)).toHaveValue('older')
})

test('a list that ended early says how far it was looked through, and goes on when asked', async ({
  page,
  station,
  home,
}) => {
  await send(station, [{ name: '/early/one' }])
  await page.route(/\/query\/traces\?.*text=early/, async (route) => {
    if (route.request().url().includes('cursor=')) return route.fallback()
    const answer = await route.fetch()
    const head = Number((await answer.json()).journal)
    await route.fulfill({ json: { traces: [], next: `${head}-aa`, journal: head } })
  })
  await page.goto(`${home}/traces?text=early`)
  await expect(page.getByText(/^Looked back to \d\d:\d\d:\d\d, nothing yet\.$/)).toBeVisible()
  await page.getByRole('button', { name: 'Look further back' }).click()
  await expect(rows(page)).toHaveText([/\/early\/one/])
  await expect(page.getByText('These are all traces kept here that match.')).toBeVisible()
})

test('a kind of signal that there is not is told so, with the nearest', async ({ page, home }) => {
  await page.goto(`${home}/signals?kind=metrics`)
  await expect(page.getByRole('heading', { level: 1, name: 'There is no such kind of signal' })).toBeVisible()
  await expect(page.locator('main code').first()).toHaveText('metrics')
  await page.locator('main').getByRole('link', { name: 'metrics', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Metrics' })).toBeVisible()
})

for (const [path, noun, typed, query] of [
  ['/events', 'errors', 'level:fatal', 'level=fatal'],
  ['/envelopes', 'envelopes', 'type:event', 'type=event'],
  ['/signals?kind=log', 'logs', 'level:error', 'kind=log&level=error'],
] as const) {
  test(`${path} is narrowed in the same way`, async ({ page, home }) => {
    await page.goto(`${home}${path}`)
    await field(page, noun).fill(typed)
    const answered = page.waitForResponse((response) => response.url().includes(typed.replace(':', '=')))
    await page.keyboard.press('Enter')
    expect((await answered).status()).toBe(200)
    await expect.poll(() => asked(page)).toBe(query)
  })
}
