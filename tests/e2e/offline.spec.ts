import { parseEnvelope } from '../../lib/protocol/envelope'
import { cause, expect, type Page, press, type Station, test } from './station'

// The lab causes errors on purpose.
test.use({ unexpectedErrors: 'ignore' })

const arrived = async ({ collector }: Station, eventId: string): Promise<number> =>
  (await collector.envelopes()).envelopes.filter((one) => one.eventId === eventId).length

const unsent = (page: Page): Promise<number> =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('waystation.unsent.')).length)

test('an error of a page without a connection arrives once, when the browser is online again, and is no loss', async ({
  page,
  station,
  telemetry,
}) => {
  await cause(page, 'log')
  await telemetry.waitFor.transaction({ op: 'pageload' })
  await page.context().setOffline(true)
  const { eventId } = await press(page, 'handled-error')
  await expect.poll(() => unsent(page)).toBeGreaterThan(0)
  expect(await arrived(station, eventId)).toBe(0)
  await page.context().setOffline(false)
  await expect.poll(() => arrived(station, eventId)).toBe(1)
  await expect.poll(() => unsent(page)).toBe(0)
  await page.goto('about:blank')
  await telemetry.settle()
  await expect(telemetry).toHaveNoLoss()
})

test('an error of a tab that was closed during the post arrives from the next page', async ({ page, station }) => {
  await page.route('**/tunnel', () => undefined)
  const { eventId } = await cause(page, 'handled-error')
  await page.goto('about:blank')
  const next = await page.context().newPage()
  await page.close()
  await next.goto('/lab')
  expect(await unsent(next)).toBeGreaterThan(0)
  await expect.poll(() => arrived(station, eventId)).toBe(1)
  await expect.poll(() => unsent(next)).toBe(0)
})

test('an error whose answer was lost is sent again, and stored and relayed once', async ({ page, station }) => {
  let isLost = true
  await page.route('**/tunnel', async (route) => {
    if (!isLost) return route.continue()
    await route.fetch()
    await route.abort('connectionreset')
  })
  const { eventId } = await cause(page, 'handled-error')
  await expect.poll(() => unsent(page)).toBeGreaterThan(0)
  // It is stored, but the list has it only once it is digested.
  await expect.poll(() => arrived(station, eventId)).toBe(1)
  isLost = false
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await expect.poll(() => unsent(page)).toBe(0)
  expect(await arrived(station, eventId)).toBe(1)
  const idOf = (body: Uint8Array): unknown => {
    const envelope = parseEnvelope(body)
    return envelope.ok ? envelope.value.header.event_id : null
  }
  const relayed = () => station.upstream.received().filter(({ body }) => idOf(body) === eventId).length
  await expect.poll(relayed).toBe(1)
})
