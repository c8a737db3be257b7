import { cause, expect, type Page, type Station, test } from './station'

/** Nothing on the line, and nothing that looks at it, traces itself: otherwise a live board makes an envelope a poll, for ever. */
test.describe.configure({ timeout: 240_000 })

/** Each has a stream or a poll of its own, and a browser has six connections to an origin. */
const AT_ONCE = 4

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
  const boards = [
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
  ]
  for (let first = 0; first < boards.length; first += AT_ONCE) {
    const paths = boards.slice(first, first + AT_ONCE)
    const tabs: Page[] = []
    for (const path of paths) {
      const tab = await page.context().newPage()
      await tab.goto(path)
      await expect(tab.getByRole('heading', { level: 1 })).toBeVisible()
      tabs.push(tab)
    }
    // What the pages before sent on leaving is not these boards' doing; neither is their own arrival waited out by guess.
    const [before] = await Promise.all([
      settled(station),
      ...tabs.map((tab) => tab.waitForFunction(() => performance.now() > 2500, undefined, { timeout: 30_000 })),
    ])
    await Promise.all(tabs.map((tab) => watch(tab, 10_000)))
    expect([paths, await received(station)]).toEqual([paths, before])
    for (const tab of tabs) await tab.close()
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
