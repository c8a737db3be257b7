import { errorEnvelope, transactionEnvelope } from '../flow/envelopes'
import { expect, test } from './station'

const lines = (...parts: readonly object[]): string => parts.map((part) => JSON.stringify(part)).join('\n')

interface LogLine {
  readonly body: string
  readonly level?: string
  readonly traceId?: string
  readonly attributes?: Readonly<Record<string, { readonly value: unknown; readonly type: string }>>
}

/** A container of logs, as a streaming SDK sends it. */
function logEnvelope(logs: readonly LogLine[]): string {
  const items = logs.map(({ body, level = 'info', traceId = crypto.randomUUID(), attributes = {} }, at) => ({
    timestamp: Date.now() / 1000 + at / 1000,
    trace_id: traceId.replaceAll('-', ''),
    level,
    body,
    attributes,
  }))
  const header = {
    type: 'log',
    item_count: items.length,
    content_type: 'application/vnd.sentry.items.log+json',
  }
  return lines({ sdk: { name: 'sentry.javascript.node', version: '11.8.0' } }, header, { items })
}

test('logs appear live, expand to all fields, and link to trace and envelope', async ({ page, station, program }) => {
  const { body, traceId } = transactionEnvelope(station.running.localDsn, { name: '/with/logs' })
  await program.send(body)
  await page.goto('/signals?kind=log')
  await expect(page.getByRole('heading', { level: 1, name: 'Logs' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'live' })).toBeVisible()
  const orderId = { value: 4711, type: 'integer' }
  const placed = { body: 'order placed', traceId, attributes: { orderId } }
  await program.send(logEnvelope([placed, { body: 'card declined', level: 'error' }]))
  const row = page.getByRole('row').filter({ hasText: 'order placed' })
  for (const part of ['info', 'orderId=4711', 'accepted']) await expect(row).toContainText(part)
  await expect(page.getByRole('row').filter({ hasText: 'card declined' })).toContainText('error')
  await expect(row.getByRole('link', { name: traceId.slice(0, 8) })).toHaveAttribute('href', `/traces/${traceId}`)

  const link = row.getByRole('link', { name: 'order placed' })
  await expect(link).toHaveAttribute('aria-expanded', 'false')
  await link.focus()
  await page.keyboard.press('Enter')
  await expect(link).toHaveAttribute('aria-expanded', 'true')
  const detail = page.locator('[data-detail]')
  await expect(detail).toContainText('4711')
  await expect(detail.getByRole('link', { name: /^envelope \d+$/ })).toBeVisible()
  await expect(page).toHaveURL(/open=/)
  await page.keyboard.press('Enter')
  await expect(detail).toBeHidden()

  await page.getByRole('combobox', { name: 'Filter logs' }).fill('declined')
  await expect(page.locator('tr[data-signal]')).toHaveCount(1)

  await page.goto(`/traces/${traceId}?show=signals`)
  await expect(page.getByRole('table', { name: /^Signals of this trace/ })).toContainText('order placed')
})

test('a kind without rows explains how to send one; each tab has an address', async ({ page }) => {
  await page.goto('/signals')
  const kinds = page.getByRole('navigation', { name: 'Kinds of signals' })
  await kinds.getByRole('link', { name: /^Check-ins/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Check-ins' })).toBeVisible()
  await expect(kinds.getByRole('link', { name: /^Check-ins/ })).toHaveAttribute('aria-current', 'page')
  await expect(page.getByText('Sentry.captureCheckIn')).toBeVisible()
  await expect(page).toHaveURL(/kind=check_in/)
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Check-ins' })).toBeVisible()
})

test('metrics, check-ins and client reports show the columns of their kind', async ({ page, program }) => {
  const metric = {
    timestamp: Date.now() / 1000,
    trace_id: crypto.randomUUID().replaceAll('-', ''),
    name: 'checkout.duration',
    type: 'distribution',
    value: 12.5,
    unit: 'millisecond',
    attributes: {},
  }
  const container = {
    type: 'trace_metric',
    item_count: 1,
    content_type: 'application/vnd.sentry.items.trace-metric+json',
  }
  const checkInId = crypto.randomUUID().replaceAll('-', '')
  const checkIn = { check_in_id: checkInId, monitor_slug: 'nightly-import', status: 'ok', duration: 1.5 }
  const report = {
    timestamp: Date.now() / 1000,
    discarded_events: [{ reason: 'before_send', category: 'error', quantity: 41 }],
  }
  for (const body of [
    lines({}, container, { items: [metric] }),
    lines({}, { type: 'check_in' }, checkIn),
    lines({}, { type: 'client_report' }, report),
  ])
    await program.send(body)
  for (const [kind, name, parts] of [
    ['metric', 'checkout.duration', ['distribution', '12.5 millisecond']],
    ['check_in', 'nightly-import', ['ok', '1.50 s']],
    ['client_report', 'before_send', ['error', '41']],
  ] as const) {
    await page.goto(`/signals?kind=${kind}`)
    const row = page.locator('tr[data-signal]').filter({ hasText: name })
    for (const part of parts) await expect(row).toContainText(part)
  }
})

test('an event lists its attachments, and an item links to its signals', async ({ page, station, program }) => {
  const { body, eventId } = errorEnvelope(station.running.localDsn, { message: 'with a file' })
  const attachment = `${JSON.stringify({ type: 'attachment', length: 2, filename: 'state.json', content_type: 'application/json' })}\n{}`
  await program.send(`${body}\n${attachment}`)
  await page.goto(`/events/${eventId}`)
  const files = page.getByRole('region', { name: '1 attachment' })
  await expect(files.getByRole('listitem')).toContainText(['state.json'])
  await files.getByRole('link', { name: 'in signals' }).click()
  await expect(page.locator('tr[data-signal]').filter({ hasText: 'state.json' })).toContainText('2 B')
  await page.getByRole('row').filter({ hasText: 'state.json' }).getByRole('link', { name: /^\d+$/ }).click()
  const item = page.getByRole('article', { name: 'Item 2' })
  await item.getByRole('link', { name: 'in signals' }).click()
  await expect(page).toHaveURL(/kind=attachment/)
  await expect(page.locator('tr[data-signal]')).toHaveCount(1)
})
