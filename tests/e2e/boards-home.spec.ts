import { limitingAnswer } from '../../lib/wire/scripted-answers'
import { errorEnvelope, transactionEnvelope } from '../flow/envelopes'
import { axeFindings, overflow } from './page-quality'
import { post } from './program'
import { expect, test } from './station'

// A station of its own: the first test needs one to which nothing was sent.
test.use({ env: { WAYSTATION_APP_URL: 'off' } })
test.describe.configure({ mode: 'serial' })

test('before the first arrival the home page shows how to connect, and then that something came', async ({
  page,
  station,
}) => {
  await page.goto('/')
  const stop = (id: string) => page.locator(`[data-stop="${id}"]`)
  await expect(page.locator('[data-connection="live"]')).toBeVisible()
  await expect(stop('apps')).toHaveAttribute('data-state', 'failed')
  await expect(page.locator('[data-local-dsn]')).toHaveText(station.running.localDsn)
  await expect(page.getByRole('region', { name: 'What just happened' })).toHaveCount(0)
  await page.getByRole('tab', { name: 'OpenTelemetry' }).click()
  await expect(page.getByRole('tabpanel')).toContainText(station.running.collectorUrl)
  expect(await axeFindings(page)).toEqual([])

  expect(await post(station, 'no envelope')).toBe(400)
  await expect(stop('received')).toHaveAttribute('data-state', 'failed')
  await expect(stop('apps')).toHaveAttribute('data-state', 'ok')

  expect(await post(station, errorEnvelope(station.running.localDsn).body)).toBe(200)
  await expect(stop('received')).toHaveAttribute('data-state', 'ok')
  await expect(page.getByRole('region', { name: 'What just happened' })).toBeVisible()
  await expect(page.locator('[data-waiting]')).toHaveCount(0)
})

test('the home page names what broke, what is slow and who sent it', async ({ page, station }) => {
  const { localDsn } = station.running
  // The times of the prepared error are not of the last hour.
  const body = errorEnvelope(localDsn).body.replace('"timestamp":1795000100.25', `"timestamp":${Date.now() / 1000}`)
  expect(await post(station, body)).toBe(200)
  for (let at = 0; at < 5; at += 1)
    expect(await post(station, transactionEnvelope(localDsn, { name: `/orders/${at}` }).body)).toBe(200)
  await page.goto('/')
  await expect(page.getByRole('region', { name: 'What broke' })).toContainText('Error: boom')
  const slow = page.getByRole('region', { name: 'What is slow' })
  await expect(slow).toContainText('/orders/?')
  await expect(slow).toContainText('p95 of 5')
  const program = page.locator('[data-program="browser"]').filter({ hasText: 'sentry.javascript.browser 11.8.0' })
  await expect(program).toContainText('no release')
  await expect(page.locator('[data-next]')).toContainText('no release')
  await expect(page.getByText('1.50 s of 5')).toBeVisible()
  expect(await axeFindings(page)).toEqual([])
  for (const width of [360, 2560]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await overflow(page)).toBeNull()
  }
})

test('after Back a visit is unfolded as before, with the focus on the row that was opened', async ({
  page,
  station,
}) => {
  for (let at = 0; at < 4; at += 1)
    expect(await post(station, transactionEnvelope(station.running.localDsn, { name: `/visit/${at}` }).body)).toBe(200)
  await page.goto('/')
  const visit = page.locator('[data-visit]').filter({ hasText: '/visit/0' })
  await expect(visit).toHaveAttribute('data-open', 'false')
  await visit.getByRole('button').first().focus()
  await page.keyboard.press('Enter')
  const row = visit.getByRole('link', { name: '/visit/0' })
  await expect(row).toBeVisible()
  await page.keyboard.press('j')
  await expect(row).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('treegrid')).toBeVisible()
  await page.goBack()
  await expect(row).toBeFocused()
  await expect(row).toBeInViewport()
})

test('with a limited or absent upstream the line says so in words', async ({ page, station }) => {
  await page.goto('/')
  const delivery = page.getByRole('region', { name: 'Delivery' })
  await expect(delivery.locator('[data-stop="upstream"]')).toHaveAttribute('data-state', 'ok')
  station.upstream.play({ answers: [limitingAnswer(['error'], 600)] })
  await post(station, errorEnvelope(station.running.localDsn).body)
  await expect(delivery.getByRole('link', { name: /^error limited, \d/ })).toHaveAttribute('href', '/limits')
  await expect(delivery.locator('[data-stop="upstream"]')).toHaveAttribute('data-state', 'waiting')
  await expect(page.locator('[data-next]')).toContainText('Upstream limits error')
  station.upstream.play({ answers: [{ status: 403, body: 'not you' }] })
  await post(station, transactionEnvelope(station.running.localDsn).body)
  await expect(delivery.getByRole('link', { name: 'upstream refuses, answered 403' })).toBeVisible()
  await expect(delivery).toContainText('paused, limited, last answer 403')
  await expect(page.locator('[data-line="paused"]')).toContainText('It refuses the key: answered 403, “not you”.')
  await expect(page.getByRole('button', { name: 'Try now' })).toBeVisible()
  await expect(page.locator('[data-next]')).toContainText('WAYSTATION_UPSTREAM still valid')
})
