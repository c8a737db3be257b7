import { cause, expect, test } from './station'

/** Nothing on the line, and nothing that looks at it, traces itself: otherwise a live board makes an envelope a poll, for ever. */
test.describe.configure({ timeout: 240_000 })

test('looking makes nothing: each board is open for ten seconds, and no envelope comes of it', async ({
  page,
  station,
  home,
}) => {
  const { traceId, eventId } = await cause(page, home, 'handled-error')
  await station.traceOnce(traceId, (trace) => trace.segments.length > 0 && trace.errors.length > 0)
  const seq = (await station.collector.envelopes({ limit: 1 })).envelopes[0]?.seq ?? 1
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
    await page.goto(`${home}${path}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    // What the page before sent on leaving is not this board's doing; neither is its own arrival waited out by guess.
    await page.waitForFunction(() => performance.now() > 2500)
    const before = await station.collector.overview()
    await page.waitForFunction(() => performance.now() > 12_500, undefined, { timeout: 30_000 })
    const after = await station.collector.overview()
    expect([path, after.counts.envelopes]).toEqual([path, before.counts.envelopes])
  }
})

test('the home page sends its own load once, and then nothing while it is watched', async ({ page, station, home }) => {
  const before = (await station.collector.overview()).counts.envelopes
  await page.goto(home)
  await expect
    .poll(async () => (await station.collector.overview()).counts.envelopes, { timeout: 20_000 })
    .toBeGreaterThan(before)
  await page.waitForFunction(() => performance.now() > 8_000, undefined, { timeout: 30_000 })
  const settled = (await station.collector.overview()).counts.envelopes
  await page.waitForFunction(() => performance.now() > 18_000, undefined, { timeout: 30_000 })
  expect((await station.collector.overview()).counts.envelopes).toBe(settled)
})
