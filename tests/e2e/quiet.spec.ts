import type { BrowserContext } from '@playwright/test'
import { cause, expect, type Page, type Station, test } from './station'

test.describe.configure({ timeout: 480_000 })

/** A browser opens six connections to an origin per context, and each board holds one for its stream. */
const TABS_PER_CONTEXT = 3
const WATCHED_MS = 10_000

/**
 * The newest envelope of all senders and tests. Client reports do not count: the server SDK sends one each minute about
 * requests of earlier tests.
 */
async function newest({ collector }: Station): Promise<number | undefined> {
  const { envelopes } = await collector.envelopes()
  return envelopes.find(({ items }) => items.some(({ type }) => type !== 'client_report'))?.seq
}

/** The newest envelope, once there has been none after it for 2 s. */
async function settled(station: Station): Promise<number | undefined> {
  let [last, since]: [number | undefined, number] = [undefined, Date.now()]
  const unchangedMs = async (): Promise<number> => {
    const now = await newest(station)
    if (now !== last) [last, since] = [now, Date.now()]
    return Date.now() - since
  }
  await expect.poll(unchangedMs, { timeout: 60_000, intervals: [200] }).toBeGreaterThan(2000)
  return last
}

async function openTab(context: BrowserContext, path: string): Promise<Page> {
  const tab = await context.newPage()
  await tab.goto(path)
  await expect(tab.getByRole('heading', { level: 1 })).toBeVisible()
  return tab
}

async function watch(page: Page): Promise<void> {
  const end = await page.evaluate((ms) => performance.now() + ms, WATCHED_MS)
  await page.waitForFunction((at) => performance.now() > at, end, { timeout: WATCHED_MS + 30_000 })
}

test('open pages send no envelope within ten seconds', async ({ browser, page, station, telemetry }) => {
  const { traceId, eventId } = await cause(page, 'handled-error')
  telemetry.allow({ eventId })
  const { seq } = await telemetry.waitFor.error({ eventId })
  await telemetry.waitFor.transaction({ traceId })
  const pageload = telemetry.waitFor.transaction({ op: 'pageload', name: '/' })
  await page.goto('/')
  await pageload

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
    '/runs',
    '/storage',
    '/stand-in',
    `/envelopes/${seq}`,
    `/events/${eventId}`,
    '/login',
  ]
  const contexts = await Promise.all(
    Array.from({ length: Math.ceil(boards.length / TABS_PER_CONTEXT) }, () =>
      browser.newContext({ baseURL: station.home }),
    ),
  )
  const tabs = await Promise.all(
    contexts.map(async (context, index) => {
      const paths = boards.slice(index * TABS_PER_CONTEXT, (index + 1) * TABS_PER_CONTEXT)
      const opened: Page[] = []
      for (const path of paths) opened.push(await openTab(context, path))
      return opened
    }),
  )
  // The tabs have sent their own page loads by then.
  const all = [page, ...tabs.flat()]
  await Promise.all(
    all.map((tab) => tab.waitForFunction(() => performance.now() > 2500, undefined, { timeout: 30_000 })),
  )
  const before = await settled(station)
  await Promise.all(all.map(watch))
  expect(await newest(station)).toBe(before)
  expect(telemetry.evidence().segments.filter(({ op, name }) => op === 'pageload' && name === '/')).toHaveLength(1)
  await Promise.all(contexts.map((context) => context.close()))
})
