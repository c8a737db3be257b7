import { limitingAnswer } from '../../lib/wire/scripted-answers'
import { expect, type Station, test } from './station'

// A station of its own: dead letters of other tests would stand in the line of the upstream.
test.use({ env: { WAYSTATION_APP_URL: 'off' } })

const deliveryStatusOf = async (station: Station, seq: number) =>
  (await station.collector.envelope(seq))?.deliveryStatus

test('a paused upstream is retried on request, and its banner line disappears', async ({ page, station, program }) => {
  station.upstream.play({ answers: [{ status: 403, body: 'not you', times: 1 }] })
  const { seq } = await program.sendError('waits for the key')
  await page.goto('/deliveries')
  const line = page.locator('[data-line="paused"]')
  await expect(line).toContainText('1 envelope waits.')
  await line.getByRole('button', { name: 'Try now' }).click()
  await expect(line).toHaveCount(0)
  expect(await deliveryStatusOf(station, seq)).toMatchObject({ name: 'accepted' })
})

test('an upstream is retried from the banner of Live, and its line is whole again', async ({
  page,
  station,
  program,
}) => {
  station.upstream.play({ answers: [{ status: 401, times: 1 }] })
  const { seq } = await program.sendError('waits at home')
  await page.goto('/')
  const delivery = page.getByRole('region', { name: 'Delivery' })
  await expect(delivery.locator('[data-delivery="paused"]')).toContainText('paused, last answer 401')
  await page.getByRole('button', { name: 'Try now' }).click()
  await expect(delivery.locator('[data-delivery="idle"]')).toContainText('up to date')
  await expect(page.getByRole('button', { name: 'Try now' })).toHaveCount(0)
  expect(await deliveryStatusOf(station, seq)).toMatchObject({ name: 'accepted' })
})

test('a dead letter is not sent during a limit, and its banner line disappears when it is sent', async ({
  page,
  station,
  program,
  telemetry,
}) => {
  station.upstream.play({ answers: [{ status: 413, times: 1 }, limitingAnswer(['error'], 30)] })
  const { seq } = await program.sendError('refused first')
  await expect.poll(() => deliveryStatusOf(station, seq)).toMatchObject({ reason: 'dead_letter' })
  await program.sendError('is answered with the limit')
  const isLimited = async () => (await telemetry.limits()).limits.some(({ category }) => category === 'error')
  await expect.poll(isLimited).toBe(true)

  await page.goto('/deliveries?show=dead-letters')
  const choose = page.getByRole('checkbox', { name: `Select envelope ${seq}` })
  const send = page.getByRole('button', { name: 'Send again' })
  await choose.check()
  await send.click()
  await expect(page.getByText(/1 envelope is not sent: error is limited for \d+ s more\. Send it after/)).toBeVisible()
  await expect(page.locator('[data-line="dead_letters"]')).toBeVisible()
  expect(await deliveryStatusOf(station, seq)).toMatchObject({ name: 'pending', reason: 'dead_letter' })

  await expect.poll(isLimited, { timeout: 60_000, intervals: [500] }).toBe(false)
  await choose.check()
  await send.click()
  await expect(page.locator('[data-line="dead_letters"]')).toHaveCount(0)
  await page.goto(`/envelopes/${seq}`)
  const steps = page.getByRole('region', { name: 'Timeline' }).locator('ol > li')
  await expect(steps.filter({ hasText: 'sent again by a person' })).toHaveCount(1)
  await expect(steps.filter({ hasText: 'attempt 2' })).toContainText('200')
})

test('the page of an unknown event explains that the SDK may never have sent it', async ({ page }) => {
  await page.goto(`/events/${'0'.repeat(31)}1`)
  await expect(page.getByText('Its SDK may never have sent it')).toBeVisible()
  await expect(page.getByRole('link', { name: 'limits', exact: true })).toHaveAttribute('href', '/limits')
})
