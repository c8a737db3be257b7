import type { BrowserContext } from '@playwright/test'
import { cause, expect, type Station, test } from './station'

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

/** Waits until no envelope has come for this time. @returns the newest one */
async function settled(station: Station, quietMs: number): Promise<number | undefined> {
  let [last, since]: [number | undefined, number] = [undefined, Date.now()]
  const unchangedMs = async (): Promise<number> => {
    const now = await newest(station)
    if (now !== last) [last, since] = [now, Date.now()]
    return Date.now() - since
  }
  await expect.poll(unchangedMs, { timeout: 120_000, intervals: [200] }).toBeGreaterThan(quietMs)
  return last
}

async function openTab(context: BrowserContext, path: string): Promise<void> {
  const tab = await context.newPage()
  await tab.goto(path)
  await expect(tab.getByRole('heading', { level: 1 })).toBeVisible()
}

/** Reads the newest envelope until the time is over, or until it is another one. */
async function watch(station: Station, before: number | undefined): Promise<void> {
  const end = Date.now() + WATCHED_MS
  const readAt = async (): Promise<number> => {
    expect(await newest(station)).toBe(before)
    return Date.now()
  }
  await expect.poll(readAt, { timeout: WATCHED_MS + 30_000, intervals: [500] }).toBeGreaterThan(end)
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
  await Promise.all(
    contexts.map(async (context, index) => {
      const paths = boards.slice(index * TABS_PER_CONTEXT, (index + 1) * TABS_PER_CONTEXT)
      for (const path of paths) await openTab(context, path)
    }),
  )
  // The tabs send their own page loads first, a second after their last activity.
  await watch(station, await settled(station, 4000))
  expect(telemetry.evidence().segments.filter(({ op, name }) => op === 'pageload' && name === '/')).toHaveLength(1)
  await Promise.all(contexts.map((context) => context.close()))
})
