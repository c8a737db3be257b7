import { errorEnvelope, transactionEnvelope } from '../flow/envelopes'
import { expect, test } from './station'

/** An error without a trace context, as from an SDK without tracing. */
function untracedError(title: string): { readonly body: string; readonly eventId: string } {
  const eventId = crypto.randomUUID().replaceAll('-', '')
  const event = {
    event_id: eventId,
    platform: 'python',
    timestamp: Date.now() / 1000,
    environment: 'staging',
    transaction: 'nightly.import',
    exception: { values: [{ type: 'KeyError', value: title, mechanism: { type: 'excepthook', handled: false } }] },
  }
  return {
    eventId,
    body: [{ event_id: eventId }, { type: 'event' }, event].map((line) => JSON.stringify(line)).join('\n'),
  }
}

test('an error without a trace appears live and opens', async ({ page, program }) => {
  await page.goto('/events')
  await expect(page.getByRole('heading', { level: 1, name: 'Errors' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'live' })).toBeVisible()
  // The page reads once more when its stream opens; later envelopes arrive by the stream only.
  await program.send(untracedError('the one before').body)
  await expect(page.getByRole('row').filter({ hasText: 'KeyError: the one before' })).toContainText('accepted')
  const { body, eventId } = untracedError('no such row')
  await program.send(body)
  const row = page.getByRole('row').filter({ hasText: 'KeyError: no such row' })
  for (const part of ['unhandled', 'python', 'staging', 'nightly.import', 'no trace', 'accepted'])
    await expect(row).toContainText(part)
  await row.getByRole('link', { name: 'KeyError: no such row' }).click()
  await expect(page).toHaveURL(`/events/${eventId}`)
  await expect(page.getByRole('heading', { level: 1, name: 'Errors KeyError' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 2, name: 'no such row' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current]')).toHaveAttribute(
    'href',
    '/errors',
  )
})

test('an error in a trace links to the trace', async ({ page, station, program }) => {
  const { body, traceId } = errorEnvelope(station.running.localDsn, { message: 'in a trace' })
  await program.send(body)
  await page.goto('/events')
  const row = page.getByRole('row').filter({ hasText: 'Error: in a trace' })
  await expect(row.getByRole('link', { name: traceId.slice(0, 8) })).toHaveAttribute('href', `/traces/${traceId}`)
})

test('the list of traces grows without moving the visible rows', async ({ page, program }) => {
  await program.sendTransactions({ name: '/steady/first' }, { name: '/steady/second' }, { name: '/steady/third' })
  await page.goto('/traces?q=steady')
  const rows = page.locator('tbody tr')
  await expect(rows).toContainText([/third/, /second/, /first/])
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  const second = page.getByRole('link', { name: '/steady/second' })
  await expect(second).toBeFocused()
  const box = await second.boundingBox()
  await program.sendTransactions({ name: '/steady/fourth' }, { name: '/steady/fifth' })
  const pill = page.getByRole('button', { name: '2 new' })
  await expect(pill).toBeVisible()
  await expect(rows).toHaveCount(3)
  await expect(second).toBeFocused()
  expect(await second.boundingBox()).toEqual(box)
  await pill.click()
  await expect(rows).toContainText([/fifth/, /fourth/, /third/, /second/, /first/])
  await expect(pill).toBeHidden()
})

test('spans that start in 1970 stretch neither the list of traces nor the waterfall', async ({
  page,
  station,
  program,
}) => {
  const { localDsn } = station.running
  const made = transactionEnvelope(localDsn, { children: 2, name: '/undated' })
  const body = made.body.replaceAll(
    /"start_timestamp":\d+\.?\d*,"timestamp":(\d+\.?\d*),"data":\{"index":(\d)/g,
    (_, end, index) =>
      index === '0'
        ? `"start_timestamp":49757.6,"timestamp":49759.7,"data":{"index":0`
        : `"start_timestamp":0,"timestamp":${end},"data":{"index":1`,
  )
  expect(body).not.toBe(made.body)
  await program.send(body)
  const { traceId, spanId: parentSpanId } = made
  const old = transactionEnvelope(localDsn, { children: 0, name: 'of 1970', op: 'http.server', traceId, parentSpanId })
  await program.send(old.body.replace('"start_timestamp":1795000000', '"start_timestamp":0'))
  await page.goto('/traces?q=undated')
  await expect(page.locator('tbody tr')).toHaveCount(1)
  await expect(page.locator('tbody tr')).toContainText('1.50 s')
  await page.goto(`/traces/${traceId}`)
  await expect(page.getByText('timed by another clock')).toHaveCount(3)
  await expect(page.locator('[data-segment="true"] [data-time]').first()).toContainText('1.50 s')
})

test('an envelope shows items, header and delivery, and offers its raw bytes', async ({
  page,
  station,
  program,
  telemetry,
}) => {
  const { body, eventId } = errorEnvelope(station.running.localDsn, { message: 'byte for byte' })
  await program.send(body)
  const { seq } = await telemetry.waitFor.error({ eventId })
  await page.goto(`/envelopes/${seq}`)
  const item = page.getByRole('article', { name: 'Item 1' })
  await expect(item.getByRole('heading', { name: 'event' })).toBeVisible()
  await expect(item).toContainText('"type":"event"')
  const tree = item.locator('[data-tree]')
  await tree.getByRole('button', { name: /^values: .*byte for byte/ }).click()
  await tree.getByRole('button', { name: /^0: .*byte for byte/ }).click()
  await expect(tree).toContainText('value: byte for byte')
  await item.getByRole('button', { name: 'Text', exact: true }).click()
  await expect(item.locator('pre')).toContainText('"value": "byte for byte"')
  await expect(page.getByRole('complementary')).toContainText('2026-11-20T10:00:00.000Z')
  await expect(page.getByRole('region', { name: 'Timeline' })).toContainText(/attempt 1: 200/)
  const raw = await page.getByRole('link', { name: /^raw bytes/ }).getAttribute('href')
  const answer = await page.request.get(raw ?? '')
  expect([answer.status(), await answer.text()]).toEqual([200, body])
})

for (const [path, heading] of [
  ['/envelopes/abc', 'Not an envelope number'],
  ['/envelopes/0', 'Not an envelope number'],
  ['/traces/abc', 'Not a trace id'],
  ['/events/abc', 'Not an event id'],
] as const) {
  test(`${path} is rejected without a query`, async ({ page }) => {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
    await expect(page.locator('main code')).toHaveText(path.split('/')[2] ?? '')
  })
}

test('without a stand-in the page explains how to start one', async ({ page }) => {
  await page.goto('/stand-in')
  await expect(page.locator('[data-stand-in="none"]')).toContainText('WAYSTATION_UPSTREAM=stand-in')
  await expect(page.locator('main').getByRole('button')).toHaveCount(0)
})
