import type { Status } from '../../lib/wire/overview'
import type { Storage } from '../../lib/wire/storage'
import type { Program } from './program'
import { expect, type Page, type Station, test } from './station'

/** The collector answers what it answers now, but for what a test says of its storage. */
async function pretend(page: Page, station: Station, over: Partial<Storage>): Promise<void> {
  const json = { ...(await station.collector.storage()), ...over }
  await page.route('**/collector/query/storage', (route) => route.fulfill({ json }))
}

/** The same for the line under the header of every page. */
async function pretendRoom(page: Page, station: Station, room: Status['storage']): Promise<void> {
  const json = { ...(await station.collector.status()), storage: room }
  await page.route('**/collector/query/status', (route) => route.fulfill({ json }))
}

/** So many that are settled, and therefore owe nothing. Returns the ids of their events. */
async function settled({ collector }: Station, program: Program, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push((await program.sendError(`kept ${n}`)).eventId)
  await expect.poll(async () => (await collector.storage()).pending.records).toBe(0)
  return ids.sort()
}

test('storage says how much is used of how much, and grows with what arrives', async ({ page, station, program }) => {
  await page.goto('/storage')
  await expect(page.getByRole('heading', { level: 1, name: 'Storage' })).toBeVisible()
  await expect(page.locator('[data-storage-state="ok"]')).toBeVisible()
  const records = async (): Promise<number> =>
    Number(await page.locator('[data-records]').getAttribute('data-records', { timeout: 5000 }))
  const before = await records()
  await settled(station, program, 2)
  await expect.poll(records).toBeGreaterThanOrEqual(before + 2)
  for (const name of ['spool.db', 'telemetry.db', 'Ballast'])
    await expect(page.getByText(name, { exact: true })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Gone, ever' }).getByRole('row')).toHaveCount(6)
})

test('what owes nothing is cleared after a question that says how much goes', async ({ page, station, program }) => {
  await settled(station, program, 3)
  await page.goto('/storage')
  const open = page.getByRole('button', { name: /^Clear what owes nothing/ })
  await open.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Clear what owes nothing?' })
  await expect(dialog).toContainText(/\d+ records and their rows will go/)
  // The way back has the focus, and leads back.
  await expect(dialog.getByRole('button', { name: 'Keep them' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(open).toBeFocused()
  expect((await station.collector.storage()).records).toBeGreaterThanOrEqual(3)

  const received = (await station.collector.overview()).items.received
  await open.click()
  await dialog.getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('Cleared what pending nothing.')).toBeFocused()
  await expect(page.locator('[data-records="0"]')).toBeVisible()
  await expect.poll(async () => (await station.collector.events()).events.length).toBe(0)
  expect((await station.collector.overview()).items.received).toBe(received)
})

test('dropping what is pending is another button, which names what upstream will never get', async ({
  page,
  station,
  program,
}) => {
  await settled(station, program, 1)
  await pretend(page, station, { pending: { records: 7, bytes: 4096, cap: 1_000_000, oldest: Date.now() } })
  await page.goto('/storage')
  await page.getByRole('button', { name: /^Drop what is pending too/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Drop what is pending too?' })
  await expect(dialog).toContainText('7 envelopes will never reach upstream.')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})

test('the rows are digested again at a press, and the same errors are there after it', async ({
  page,
  station,
  program,
}) => {
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

test('a rebuild shows how far it is', async ({ page, station }) => {
  await pretend(page, station, { rebuild: { done: 250, of: 1000, startedAt: Date.now() - 60_000 } })
  await page.goto('/storage')
  await expect(page.getByRole('progressbar', { name: 'Digesting again' })).toHaveAttribute('value', '0.25')
  await expect(page.locator('[data-rebuild]')).toContainText('250 of 1,000 envelopes (25 %), about 3 min')
})

for (const [state, trouble, said] of [
  ['overflow', null, /^Overflow\. .*upstream never gets it/],
  ['full', null, /^Full\. .*refused with 429/],
  ['ok', 'The disk is full.', /^Trouble\. The disk is full\./],
] as const) {
  test(`every page says so: ${state}${trouble === null ? '' : ' with trouble'}`, async ({ page, station }) => {
    await pretendRoom(page, station, { state, trouble })
    for (const path of ['/', '/traces', '/signals', '/lab', '/storage']) {
      await page.goto(path)
      const line = page.locator('[data-line="room"]')
      await expect(line).toHaveText(said)
      await expect(line.getByRole('link', { name: 'Storage' })).toHaveAttribute('href', '/storage')
      await expect(line.getByRole('button')).toHaveCount(0)
    }
  })
}

test('what was read last stays while the collector is away, and nothing can be pressed', async ({ page }) => {
  await page.goto('/storage')
  await expect(page.locator('[data-records]')).toBeVisible()
  await page.route('**/collector/query/**', (route) =>
    route.fulfill({ status: 503, json: { detail: 'away', causes: [] } }),
  )
  await expect(page.getByText('The collector is unreachable.')).toBeVisible()
  await expect(page.locator('[data-records]')).toBeVisible()
  for (const name of [/^Clear what owes nothing/, /^Drop what is pending too/, 'Digest again'])
    await expect(page.getByRole('button', { name })).toBeDisabled()
})
