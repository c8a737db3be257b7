import type { BrowserContext } from '@playwright/test'
import { parseEnvelope } from '../../lib/protocol/envelope'
import { cause, expect, leave, type Page, type Station, test } from './station'

// A station of its own: envelopes that consent keeps back never reach upstream. The lab causes errors on purpose.
test.use({ env: { WAYSTATION_CONSENT: 'all' }, unexpectedErrors: 'ignore' })

/** Types of the items that pages have posted since this many posts. */
function typesSince(station: Station, since: number): readonly string[] {
  const types = station
    .posts()
    .slice(since)
    .flatMap(({ body }) => {
      const envelope = parseEnvelope(body)
      return envelope.ok ? envelope.value.items.map(({ header }) => header.type) : ['broken']
    })
  return [...new Set(types)].sort()
}

/** Makes the choice on the page for visitors, by keyboard. */
async function choose(context: BrowserContext, level: string): Promise<void> {
  const page = await context.newPage()
  await page.goto('/diagnostics')
  await page.getByRole('radio', { name: level, exact: true }).check()
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await expect(page.getByText(`Now: ${level}, because you chose it.`)).toBeVisible()
  await expect(page.getByRole('radio', { name: level, exact: true })).toBeChecked()
  await page.close()
}

/** Everything that a page sends: an error, then what it sends when it is idle, hidden and left. */
async function use(page: Page): Promise<{ readonly eventId: string }> {
  const caused = await cause(page, 'handled-error')
  await page.getByTestId('lab-log').click()
  // A pageload would have been sent by then.
  await page.waitForFunction(() => performance.now() > 3500)
  await leave(page)
  return caused
}

test('off takes effect at once: an open page sends nothing more, not even when it is left', async ({
  page,
  station,
}) => {
  const { eventId } = await cause(page, 'handled-error')
  await expect.poll(async () => (await station.collector.event(eventId)) !== null).toBe(true)
  // Its page load is sent, too: nothing of it is on the way.
  await page.waitForFunction(() => performance.now() > 3500)
  await expect.poll(() => typesSince(station, 0)).toContain('event')
  await choose(page.context(), 'nothing')
  const before = station.posts().length
  await page.getByTestId('lab-handled-error').click()
  await page.getByTestId('lab-log').click()
  await page.goto('/lab/shop')
  await use(page)
  expect(station.posts().slice(before)).toEqual([])
  const cookies = await page.context().cookies()
  expect(cookies.find(({ name }) => name === 'waystation-consent')).toMatchObject({ value: 'off', sameSite: 'Lax' })
  await choose(page.context(), 'errors only')
  await cause(page, 'handled-error')
  await expect.poll(() => typesSince(station, before)).toContain('event')
})

test('errors only: errors arrive without timings, visits and logs', async ({ page, station }) => {
  await choose(page.context(), 'errors only')
  const before = station.posts().length
  const { eventId } = await use(page)
  await expect.poll(async () => (await station.collector.event(eventId)) !== null).toBe(true)
  expect(typesSince(station, before).filter((type) => type !== 'event' && type !== 'client_report')).toEqual([])
})

test('kept here: records stay with the collector, as kept, and upstream receives none', async ({ page, station }) => {
  await choose(page.context(), 'everything, but only to this server')
  const { eventId } = await use(page)
  const envelopes = async () => (await station.collector.envelopes()).envelopes
  const mine = async () => (await envelopes()).find((one) => one.eventId === eventId)
  await expect.poll(async () => (await mine())?.deliveryStatus).toEqual({ name: 'kept', reason: 'consent' })
  expect(station.upstream.received().filter(({ body }) => Buffer.from(body).includes(eventId))).toEqual([])
})

test('a browser with Global Privacy Control sends errors only, and the page for visitors says why', async ({
  browser,
  station,
}) => {
  const context = await browser.newContext({ baseURL: station.home, extraHTTPHeaders: { 'sec-gpc': '1' } })
  await context.addInitScript(() => Object.defineProperty(navigator, 'globalPrivacyControl', { value: true }))
  const page = await context.newPage()
  await page.goto('/diagnostics')
  await expect(page.getByText('because your browser asks for privacy')).toBeVisible()
  const before = station.posts().length
  const { eventId } = await use(page)
  await expect.poll(async () => (await station.collector.event(eventId)) !== null).toBe(true)
  expect(typesSince(station, before).filter((type) => type !== 'event' && type !== 'client_report')).toEqual([])
  await context.close()
})

test('the tunnel enforces it, too: a page that does not know of the choice sends, and nothing but errors is passed on', async ({
  browser,
  station,
}) => {
  const context = await browser.newContext({ baseURL: station.home })
  // Scripts cannot read it, so only the tunnel knows.
  await context.addCookies([{ name: 'waystation-consent', value: 'errors', url: station.home, httpOnly: true }])
  const page = await context.newPage()
  const before = station.posts().length
  const { eventId } = await use(page)
  await expect.poll(async () => (await station.collector.event(eventId)) !== null).toBe(true)
  expect(typesSince(station, before).length).toBeGreaterThan(1)
  expect(
    station
      .posts()
      .slice(before)
      .map(({ status }) => status),
  ).not.toContain(403)
  const [visitor] = (await context.cookies()).filter(({ name }) => name.startsWith('waystation-visitor-'))
  const download = await context.request.get('/diagnostics?download')
  const { records } = (await download.json()) as { records: { items: { type: string }[] }[] }
  expect(visitor).toBeDefined()
  const types = new Set(records.flatMap(({ items }) => items.map(({ type }) => type)))
  types.delete('client_report')
  expect([...types]).toEqual(['event'])
  await context.close()
})

test('works where storage and cookies are blocked', async ({ browser, station }) => {
  const context = await browser.newContext({ baseURL: station.home })
  await context.addInitScript(() => {
    const denied = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    Object.defineProperty(Document.prototype, 'cookie', { get: denied, set: denied })
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: denied })
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })
  })
  const page = await context.newPage()
  const before = station.posts().length
  const { eventId } = await use(page)
  await expect.poll(async () => (await station.collector.event(eventId)) !== null).toBe(true)
  expect(typesSince(station, before).filter((type) => type !== 'event' && type !== 'client_report')).toEqual([])
  await context.close()
})
