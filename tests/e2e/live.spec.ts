import { transactionEnvelope } from '../flow/envelopes'
import { post } from './program'
import { cause, expect, leave, type Page, type Station, test } from './station'

// The lab causes errors on purpose.
test.use({ unexpectedErrors: 'ignore' })

const visits = (page: Page) => page.locator('[data-visit]')
const feed = (page: Page) => page.getByRole('region', { name: 'What just happened' })

/** A page load of a visit of its own. */
async function sendVisit({ running }: Station, name: string, page: string): Promise<void> {
  const { body } = transactionEnvelope(running.localDsn, { name })
  expect(await post({ running }, body, { headers: { 'x-waystation-page': page } })).toBe(200)
}

test('a page load, its request, the server and the error of the lab are one visit', async ({ page, telemetry }) => {
  const { traceId } = await cause(page, 'route-handler-error')
  const { eventId } = await telemetry.waitFor.error({ traceId })
  await leave(page)
  await telemetry.waitFor.transaction({ traceId, service: 'server' })
  await page.goto('/')
  const visit = visits(page).filter({ hasText: '/lab' }).first()
  await expect(visit.getByRole('button', { name: /^Visit / })).toHaveAttribute('aria-expanded', 'true')
  await expect(visit.getByRole('button', { name: /^Visit / })).toContainText(/open now|ended/)
  await expect(visit.locator(`a[href^="/traces/"]`).filter({ hasText: 'pageload' })).toContainText('/lab')
  // A streamed span has the host in its name instead of the path.
  await expect(visit.locator('[data-kind="request"]').filter({ hasText: 'POST' })).toContainText('500')
  await expect(visit.locator('[data-kind="server"]').filter({ hasText: '/lab/api' }).first()).toBeVisible()
  const error = visit.locator(`[data-kind="error"] a[href="/events/${eventId}"]`)
  await expect(error).toBeVisible()
  await error.click()
  await expect(page).toHaveURL(`/events/${eventId}`)
})

test('new activity waits while someone points at the feed, and n shows it', async ({ page, station }) => {
  await sendVisit(station, '/waits/one', 'waits-one')
  await page.goto('/')
  const first = visits(page).filter({ hasText: '/waits/one' })
  await first.getByRole('button', { name: /^Visit / }).hover()
  await sendVisit(station, '/waits/two', 'waits-two')
  await sendVisit(station, '/waits/three', 'waits-three')
  await expect(feed(page).getByRole('button', { name: '2 new' })).toBeVisible()
  await expect(visits(page).first()).toContainText('/waits/one')
  await page.keyboard.press('n')
  await expect(visits(page).first()).toContainText('/waits/three')
  await expect(feed(page).getByRole('button', { name: /new$/ })).toHaveCount(0)
  await page.mouse.move(0, 0)
  await sendVisit(station, '/waits/four', 'waits-four')
  await expect(visits(page).first()).toContainText('/waits/four')
})

test('a paused feed holds for this reader until it is resumed', async ({ page, station }) => {
  await sendVisit(station, '/paused/one', 'paused-one')
  await page.goto('/')
  await expect(visits(page).first()).toContainText('/paused/one')
  await page.keyboard.press('p')
  await sendVisit(station, '/paused/two', 'paused-two')
  await expect(feed(page).getByRole('button', { name: '1 new' })).toBeVisible()
  await expect(visits(page).first()).toContainText('/paused/one')
  await feed(page).getByRole('button', { name: 'Resume' }).click()
  await expect(visits(page).first()).toContainText('/paused/two')
})

test('the keyboard moves through visits and rows, and folds a visit', async ({ page, station }) => {
  await sendVisit(station, '/keys/one', 'keys-one')
  await page.goto('/')
  const header = visits(page)
    .first()
    .getByRole('button', { name: /^Visit / })
  await expect(visits(page).first().locator('[data-kind="page"]')).toContainText('/keys/one')
  await page.keyboard.press('j')
  await expect(header).toBeFocused()
  await page.keyboard.press('j')
  await expect(
    visits(page)
      .first()
      .getByRole('link', { name: /\/keys\/one/ }),
  ).toBeFocused()
  await page.keyboard.press('k')
  await page.keyboard.press('Enter')
  await expect(header).toHaveAttribute('aria-expanded', 'false')
  await expect(visits(page).first().locator('[data-kind="page"]')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(header).not.toBeFocused()
})

test('a trace without a browser stands apart from visits', async ({ page, station }) => {
  const { body } = transactionEnvelope(station.running.localDsn, {
    ...{ name: 'POST /webhooks/payment', op: 'http.server', platform: 'node' },
  })
  expect(await post(station, body)).toBe(200)
  await page.goto('/')
  const apart = page.locator('[data-visit="apart"]')
  await expect(apart).toContainText(/\d+ traces?/)
  const header = apart.getByRole('button', { name: /^Without a page visit/ })
  if ((await header.getAttribute('aria-expanded')) === 'false') await header.click()
  await expect(apart.getByRole('link', { name: /POST \/webhooks\/payment/ })).toBeVisible()
})
