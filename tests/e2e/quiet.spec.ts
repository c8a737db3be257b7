import { cause, expect, type Page, type Station, test } from './station'

/** Nothing on the line, and nothing that looks at it, traces itself: otherwise a live board makes an envelope a poll, for ever. */
test.describe.configure({ timeout: 480_000 })

/** From everybody: what a test is not told of counts, too. */
const received = async ({ collector }: Station): Promise<number> => (await collector.overview()).counts.envelopes

/** What was received once nothing more has come for 2 s. */
async function settled(station: Station): Promise<number> {
  let [count, since] = [Number.NaN, 0]
  const stillMs = async (): Promise<number> => {
    const now = await received(station)
    if (now !== count) [count, since] = [now, Date.now()]
    return Date.now() - since
  }
  await expect.poll(stillMs, { timeout: 60_000, intervals: [200] }).toBeGreaterThan(2000)
  return count
}

async function watch(page: Page, ms: number): Promise<void> {
  const until = await page.evaluate((more) => performance.now() + more, ms)
  await page.waitForFunction((end) => performance.now() > end, until, { timeout: ms + 30_000 })
}

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
    const [before] = await Promise.all([
      settled(station),
      page.waitForFunction(() => performance.now() > 2500, undefined, { timeout: 30_000 }),
    ])
    await watch(page, 10_000)
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
  const before = await settled(station)
  await watch(page, 10_000)
  expect(await received(station)).toBe(before)
  expect(telemetry.evidence().segments.filter(({ op }) => op === 'pageload')).toHaveLength(1)
})
