import type { Status } from '../../lib/wire/overview'
import type { Storage } from '../../lib/wire/storage'
import type { Program } from './program'
import { answerOf, expect, type Page, type Station, test } from './station'

/** Overrides parts of the storage answer. */
async function pretend(page: Page, station: Station, over: Partial<Storage>): Promise<void> {
  const json = { ...(await station.collector.storage()), ...over }
  await page.route('**/query/storage', (route) => route.fulfill(answerOf(json)))
}

/** Overrides the storage state of the status banner. */
async function pretendStatus(page: Page, station: Station, storage: Status['storage']): Promise<void> {
  const json = { ...(await station.collector.status()), storage }
  await page.route('**/query/status', (route) => route.fulfill(answerOf(json)))
}

/** Sends errors and waits until they are settled. Returns their event ids. */
async function settled({ collector }: Station, program: Program, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push((await program.sendError(`kept ${n}`)).eventId)
  await expect.poll(async () => (await collector.storage()).pending.records).toBe(0)
  return ids.sort()
}

test('storage shows disk use, which grows with arriving envelopes', async ({ page, station, program }) => {
  await page.goto('/storage')
  await expect(page.getByRole('heading', { level: 1, name: 'Storage' })).toBeVisible()
  await expect(page.locator('[data-storage-state="ok"]')).toBeVisible()
  const records = async (): Promise<number> => Number(await page.locator('[data-records]').getAttribute('data-records'))
  const before = await records()
  await settled(station, program, 2)
  await expect.poll(records).toBeGreaterThanOrEqual(before + 2)
  for (const name of ['spool.db', 'telemetry.db', 'Ballast'])
    await expect(page.getByText(name, { exact: true })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Evicted and lost' }).getByRole('row')).toHaveCount(6)
  const next = page.getByRole('table', { name: 'What goes next' }).locator('[data-next]')
  await expect(next).toContainText(/settled records.*Next: envelope \d+, received/)
})

test('settled records are cleared after a confirmation with their number', async ({ page, station, program }) => {
  const sent = await settled(station, program, 3)
  await page.goto('/storage')
  const open = page.getByRole('button', { name: /^Clear settled records/ })
  await open.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Clear settled records?' })
  await expect(dialog).toContainText(/\d+ records and their rows are deleted/)
  // Cancel has the focus.
  await expect(dialog.getByRole('button', { name: 'Keep them' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(open).toBeFocused()
  expect((await station.collector.storage()).records).toBeGreaterThanOrEqual(3)

  const received = (await station.collector.overview()).items.received
  await open.click()
  await dialog.getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('Settled records cleared.')).toBeFocused()
  // Telemetry of the page itself may arrive after the clearing, and dead letters of other tests stay.
  await expect(page.locator('[data-records]')).toHaveAttribute('data-records', /^[0-2]$/)
  const kept = async () => (await station.collector.events()).events.flatMap(({ eventId }) => eventId ?? [])
  await expect.poll(async () => (await kept()).filter((id) => sent.includes(id))).toEqual([])
  // The counters outlive the records.
  expect((await station.collector.overview()).items.received).toBeGreaterThanOrEqual(received)
})

test('dropping pending envelopes has its own button and a warning', async ({ page, station, program }) => {
  await settled(station, program, 1)
  await pretend(page, station, {
    pending: { records: 7, bytes: 4096, cap: 1_000_000, oldest: Date.now() },
    deadLetters: { records: 0, bytes: 0 },
  })
  await page.goto('/storage')
  await page.getByRole('button', { name: /^Drop pending envelopes too/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Drop pending envelopes too?' })
  await expect(dialog).toContainText('7 envelopes will never reach upstream.')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})

test('a button rebuilds the rows, with the same errors afterwards', async ({ page, station, program }) => {
  const sent = await settled(station, program, 3)
  const found = async () =>
    (await station.collector.events({ limit: 200 })).events
      .map((event) => event.eventId)
      .filter((id) => sent.includes(id))
      .sort()
  await expect.poll(found).toEqual(sent)
  await page.goto('/storage')
  const begun = page.waitForResponse((response) => response.url().endsWith('/control/redigest'))
  await page.getByRole('button', { name: 'Digest again' }).click()
  expect((await begun).ok()).toBe(true)
  await expect(page.getByText(/^Digested again: \d+ envelopes in \d/)).toBeVisible()
  expect((await station.collector.storage()).rebuild).toBeNull()
  await expect.poll(found).toEqual(sent)
})

test('a rebuild shows its progress', async ({ page, station }) => {
  await pretend(page, station, { rebuild: { done: 250, of: 1000, startedAt: Date.now() - 60_000 } })
  await page.goto('/storage')
  await expect(page.getByRole('progressbar', { name: 'Digesting again' })).toHaveAttribute('value', '0.25')
  await expect(page.locator('[data-rebuild]')).toContainText('250 of 1,000 envelopes (25 %), about 3 min')
})

for (const [state, trouble, text] of [
  ['backlog_full', null, /^Backlog full\. .*refused with 503/],
  ['full', null, /^Full\. .*refused with 503/],
  ['ok', 'The disk is full.', /^Trouble\. The disk is full\./],
] as const) {
  test(`every page shows the disk state ${state}${trouble === null ? '' : ' with a problem'}`, async ({
    page,
    station,
  }) => {
    await pretendStatus(page, station, { state, trouble })
    for (const path of ['/', '/traces', '/signals', '/storage']) {
      await page.goto(path)
      const line = page.locator('[data-line="disk"]')
      await expect(line).toHaveText(text)
      await expect(line.getByRole('link', { name: 'Storage' })).toHaveAttribute('href', '/storage')
      await expect(line.getByRole('button')).toHaveCount(0)
    }
  })
}

test('the last values stay while the collector is unreachable, and actions are disabled', async ({ page }) => {
  await page.goto('/storage')
  await expect(page.locator('[data-records]')).toBeVisible()
  await page.route('**/query/**', (route) => route.fulfill({ status: 503, json: { detail: 'away', causes: [] } }))
  await expect(page.getByText('The collector is unreachable.')).toBeVisible()
  await expect(page.locator('[data-records]')).toBeVisible()
  for (const name of [/^Clear settled records/, /^Drop pending envelopes too/, 'Digest again'])
    await expect(page.getByRole('button', { name })).toBeDisabled()
})
