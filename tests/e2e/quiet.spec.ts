import { cause, expect, type Station, test } from './station'

/** Nothing on the line, and nothing that looks at it, traces itself: otherwise a live board makes an envelope a poll, for ever. */
test.describe.configure({ timeout: 240_000 })

/** From everybody: what a test is not told of counts, too. */
const received = async ({ collector }: Station): Promise<number> => (await collector.overview()).counts.envelopes

test('looking makes nothing: each board is open for ten seconds, and no envelope comes of it', async ({
  page,
  station,
  telemetry,
}) => {
  const { traceId, eventId } = await cause(page, 'handled-error')
  telemetry.allow({ eventId })
  const { seq } = await telemetry.waitFor.error({ eventId })
  await telemetry.waitFor.transaction({ traceId })
  for (const path of [
    '/traces',
    `/traces/${traceId}`,
    '/envelopes',
    '/events',
    '/signals',
    '/deliveries',
    '/losses',
    '/limits',
    '/contract',
    '/storage',
    '/stand-in',
    `/envelopes/${seq}`,
    `/events/${eventId}`,
    '/login',
  ]) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    // What the page before sent on leaving is not this board's doing; neither is its own arrival waited out by guess.
    await page.waitForFunction(() => performance.now() > 2500)
    const before = await received(station)
    await page.waitForFunction(() => performance.now() > 12_500, undefined, { timeout: 30_000 })
    expect([path, await received(station)]).toEqual([path, before])
  }
})

test('the home page sends its own load once, and then nothing while it is watched', async ({
  page,
  station,
  telemetry,
}) => {
  const pageload = telemetry.waitFor.transaction({ op: 'pageload', name: '/' })
  await page.goto('/')
  await pageload
  await page.waitForFunction(() => performance.now() > 8_000, undefined, { timeout: 30_000 })
  const settled = await received(station)
  await page.waitForFunction(() => performance.now() > 18_000, undefined, { timeout: 30_000 })
  expect(await received(station)).toBe(settled)
  expect(telemetry.evidence().segments.filter(({ op }) => op === 'pageload')).toHaveLength(1)
})
