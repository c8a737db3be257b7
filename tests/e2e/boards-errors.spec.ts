import type { Page } from '@playwright/test'
import { expect, test } from './station'

interface Given {
  readonly type: string
  readonly value: string
  /** Seconds after the first event of the test. */
  readonly at?: number
  readonly handled?: boolean
  readonly more?: object
}

const START = Date.now() / 1000 - 60

/** An error whose stack has two app frames with code, and a library frame. */
function errorOf({ type, value, at = 0, handled = false, more = {} }: Given) {
  const eventId = crypto.randomUUID().replaceAll('-', '')
  const frames = [
    { filename: '/srv/node_modules/next/dist/route.js', function: 'handle', lineno: 3, colno: 1, in_app: false },
    { filename: 'lib/orders.ts', function: `place${type}`, lineno: 19, colno: 9, in_app: true },
    {
      filename: 'app/checkout.ts',
      function: 'reserve',
      lineno: 42,
      colno: 15,
      in_app: true,
      pre_context: ['if (left < qty)'],
      context_line: '  throw new OutOfStock(item)',
      post_context: ['}'],
    },
  ]
  const event = {
    event_id: eventId,
    platform: 'node',
    timestamp: START + at,
    level: 'error',
    transaction: 'POST /api/checkout',
    release: 'shop@1',
    environment: 'test',
    tags: { item: String(at) },
    breadcrumbs: [
      { timestamp: START + at - 5, category: 'navigation', data: { from: '/', to: '/cart' } },
      { timestamp: START + at - 1, category: 'console', level: 'warning', message: 'the stock is low' },
    ],
    exception: { values: [{ type, value, mechanism: { type: 'generic', handled }, stacktrace: { frames } }] },
    ...more,
  }
  const body = [{ event_id: eventId, sent_at: new Date().toISOString() }, { type: 'event' }, event]
  return { eventId, body: body.map((line) => JSON.stringify(line)).join('\n') }
}

const rowOf = (page: Page, type: string) => page.locator('tr[data-group]').filter({ hasText: type })
const heading = (page: Page, name: string, level: number) => page.getByRole('heading', { level, name })

test('errors with one cause are one row, which counts on while it stands still', async ({ page, program }) => {
  const send = (of: Given) => program.send(errorOf(of).body)
  await send({ type: 'RowError', value: 'Only 1 of item 4001 are left' })
  await send({ type: 'OtherError', value: 'x', handled: true })
  await page.goto('/errors')
  const row = rowOf(page, 'RowError')
  for (const part of [
    'Only <int> of item <int> are left',
    'reserve',
    'app/checkout.ts:42',
    'unhandled',
    'new',
    'shop@1',
  ])
    await expect(row).toContainText(part)
  await expect(row).toContainText('POST /api/checkout')
  await expect(rowOf(page, 'OtherError')).toContainText('handled')
  await expect(row.getByRole('cell').nth(2)).toHaveText('1')
  // The cursor is in the list, so rows must not move, although the group has the newest arrival now.
  await rowOf(page, 'OtherError').getByRole('link').focus()
  await expect(page.locator('tr[data-group]').first()).toContainText('OtherError')
  await send({ type: 'RowError', value: 'Only 2 of item 4002 are left', at: 1 })
  await expect(row.getByRole('cell').nth(2)).toHaveText('2')
  await expect(page.locator('tr[data-group]').first()).toContainText('OtherError')
})

test('the page of a group shows code, what happened before, the reason for the group and the delivery', async ({
  page,
  program,
}) => {
  const sent = errorOf({ type: 'PageError', value: 'Only 1 of item 4001 are left' })
  await program.send(sent.body)
  await page.goto('/errors')
  await rowOf(page, 'PageError').getByRole('link').click()
  await expect(page).toHaveURL(/\/errors\/[0-9a-f]{32}$/)
  await expect(heading(page, 'Errors PageError', 1)).toBeVisible()
  await expect(heading(page, 'Only 1 of item 4001 are left', 2)).toBeVisible()

  const stack = page.getByRole('region', { name: 'Stack' })
  await expect(stack.locator('[data-ran="true"]').first()).toContainText('throw new OutOfStock(item)')
  await expect(stack.getByRole('status')).toContainText(/source maps|frames mapped/)
  await expect(stack.getByText('1 library frame')).toBeVisible()
  await expect(stack.getByText('route.js').first()).toBeHidden()
  await stack.getByRole('button', { name: /^All/ }).click()
  await expect(stack.getByText('route.js').first()).toBeVisible()

  const before = page.getByRole('region', { name: 'Before it happened' })
  await expect(before.getByRole('row')).toContainText(['/ → /cart', 'the stock is low', 'PageError'])
  await expect(before.getByRole('row').first()).toContainText('-5.00 s')
  await before.getByRole('button', { name: 'Linear' }).click()
  await expect(before.getByRole('button', { name: 'Linear' })).toHaveAttribute('aria-pressed', 'true')

  await expect(page.getByRole('region', { name: 'What makes its group' })).toContainText('Same type: PageError')
  await expect(page.getByRole('main').getByRole('region', { name: 'Delivery' })).toContainText('accepted')
  await expect(page.getByRole('region', { name: 'Tags' })).toContainText('in 1 of 1')
})

test('a group with two messages and top frames lists both, and a clock that differs is stated', async ({
  page,
  program,
}) => {
  const trace_id = crypto.randomUUID().replaceAll('-', '')
  const more = { fingerprint: ['twice'], contexts: { trace: { trace_id, span_id: 'b'.repeat(16) } } }
  const other = { stacktrace: { frames: [{ filename: 'app/refund.ts', function: 'refund', lineno: 7, in_app: true }] } }
  const values = [
    { type: 'TwiceError', value: 'refund failed', mechanism: { type: 'generic', handled: true }, ...other },
  ]
  await program.send(
    errorOf({ type: 'TwiceError', value: 'refund failed', more: { ...more, exception: { values } } }).body,
  )
  const newest = errorOf({ type: 'TwiceError', value: 'card refused', at: 1, more })
  await program.send(
    newest.body.replace(/"sent_at":"[^"]+"/, `"sent_at":"${new Date(Date.now() + 60_000).toISOString()}"`),
  )
  const span = { trace_id, span_id: 'c'.repeat(16), op: 'ui', data: {} }
  const pageload = {
    type: 'transaction',
    platform: 'javascript',
    transaction: '/cart',
    start_timestamp: START,
    timestamp: START + 1,
    contexts: { trace: span },
  }
  await program.send([{}, { type: 'transaction' }, pageload].map((line) => JSON.stringify(line)).join('\n'))
  await page.goto('/errors')
  await rowOf(page, 'TwiceError').getByRole('link').click()
  const why = page.getByRole('region', { name: 'Why these 2 are one group' })
  await expect(why.getByRole('heading', { name: '2 distinct messages' })).toBeVisible()
  await expect(why.getByRole('heading', { name: '2 distinct top frames of the newest 2 events' })).toBeVisible()
  await expect(why.getByRole('link', { name: 'reserve app/checkout.ts:42' })).toBeVisible()
  await expect(page.locator('[data-clock]')).toContainText(/The clock of \S+ is (59|1 min|60).* ahead of the collector/)
  await why.getByRole('link', { name: 'refund app/refund.ts:7' }).click()
  await expect(heading(page, 'refund failed', 2)).toBeVisible()
})

test('the keyboard opens a group, goes through its events and comes back', async ({ page, program }) => {
  const events = [0, 1, 2].map((at) => errorOf({ type: 'KeyedError', value: `number ${at} failed`, at }))
  for (const { body } of events) await program.send(body)
  await page.goto('/errors')
  await expect(rowOf(page, 'KeyedError').getByRole('cell').nth(2)).toHaveText('3')
  await page.keyboard.press('j')
  await expect(page.locator('a[data-row-link]').first()).toBeFocused()
  await rowOf(page, 'KeyedError').getByRole('link').focus()
  await page.keyboard.press('Enter')
  await expect(heading(page, 'number 2 failed', 2)).toBeVisible()
  await expect(page.getByText('3 of 3', { exact: true })).toBeVisible()
  await page.keyboard.press('Shift+E')
  await expect(page).toHaveURL(`/events/${events[1]?.eventId}`)
  await expect(heading(page, 'number 1 failed', 2)).toBeVisible()
  await page.keyboard.press('e')
  await expect(page).toHaveURL(`/events/${events[2]?.eventId}`)
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toContainText('next event of the group')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/events/)
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL('/errors')
})

test('the group with the most events is first on request', async ({ page, program }) => {
  for (const [type, at] of [
    ['OftenError', 0],
    ['OftenError', 1],
    ['OnceError', 2],
  ] as const)
    await program.send(errorOf({ type, value: 'x', at }).body)
  await page.goto('/errors?q=x')
  await expect(page.locator('tr[data-group]').first()).toContainText('OnceError')
  await page.getByRole('link', { name: 'Most events' }).click()
  await expect(page).toHaveURL('/errors?q=x&sort=count')
  await expect(page.locator('tr[data-group]').first()).toContainText('OftenError')
})

test('an id that is typed into the palette opens its error', async ({ page, program }) => {
  const { eventId, body } = errorOf({ type: 'TypedError', value: 'x' })
  await program.send(body)
  await page.goto('/errors')
  await expect(rowOf(page, 'TypedError')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Search or jump to' }).fill(eventId)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/events/${eventId}`)
})

test('a muted group leaves the open list, and keeps its note', async ({ page, program }) => {
  await program.send(errorOf({ type: 'MutedError', value: 'not ours' }).body)
  await page.goto('/errors')
  await rowOf(page, 'MutedError').getByRole('link').click()
  await page.getByText('Add a note').click()
  await page.getByRole('textbox', { name: 'Note about this group' }).fill('of a <b>browser</b> add-on')
  await page.getByRole('button', { name: 'Save the note' }).click()
  await expect(page.locator('[data-note]')).toHaveText('of a <b>browser</b> add-on')
  await page.getByRole('button', { name: 'Mute', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Unmute' })).toBeVisible()
  await page.goto('/errors')
  const views = page.getByRole('navigation', { name: 'Muted or not' })
  await expect(views.getByRole('link', { name: 'Muted 1' })).toBeVisible()
  await expect(rowOf(page, 'MutedError')).toHaveCount(0)
  await expect(page.getByText('1 muted group is hidden: show')).toBeVisible()
  await views.getByRole('link', { name: 'Muted 1' }).click()
  await expect(rowOf(page, 'MutedError')).toHaveCount(1)
})

test('copies for a test and for an issue', async ({ page, program, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { body, eventId } = errorOf({ type: 'CopiedError', value: 'order 4711 failed' })
  await program.send(body)
  await page.goto(`/events/${eventId}`)
  await page.getByText('Copy for a test').click()
  await page.getByRole('button', { name: 'telemetry.allow(…)' }).click()
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await expect.poll(copied).toBe('telemetry.allow(/CopiedError: order .+ failed/)')
  await page.getByRole('heading', { name: 'Stack' }).click()
  await expect(page.getByRole('button', { name: 'telemetry.allow(…)' })).toBeHidden()
  await page.getByRole('button', { name: 'Copy as Markdown' }).click()
  await expect.poll(copied).toContain('at reserve (app/checkout.ts:42:15)')
  expect(await copied()).toContain(`/events/${eventId}`)
})

test('received text shows as text, and a phone needs no horizontal scroll', async ({ page, program }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  const long = 'x'.repeat(400)
  const hostile = errorOf({
    type: 'Hostile\u202eError',
    value: `<img src=x onerror=alert(1)> ${long}`,
    more: {
      user: { site: 'javascript:alert(1)', home: 'https://shop.example/a' },
      breadcrumbs: [{ timestamp: START - 1, category: long, message: '\u0000bell' }],
    },
  })
  await program.send(hostile.body)
  for (const path of ['/errors', `/events/${hostile.eventId}`]) {
    await page.goto(path)
    await expect(page.getByText('Hostile⟨U+202E⟩Error').first()).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  }
  await expect(page.getByText('␀bell').first()).toBeVisible()
  await expect(page.locator('main img')).toHaveCount(0)
  await expect(page.locator('a[href^="javascript"]')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'open shop.example' })).toHaveAttribute('href', 'https://shop.example/a')
})

test('a hash that is malformed or unknown says so', async ({ page }) => {
  await page.goto('/errors/abc')
  await expect(page.getByRole('heading', { name: 'Not a group of errors' })).toBeVisible()
  await page.goto(`/errors/${'0'.repeat(31)}1`)
  await expect(page.getByRole('heading', { name: 'No error of this group is stored' })).toBeVisible()
})
