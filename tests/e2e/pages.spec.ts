import { BOARD_PAGES } from '../../lib/wire/pages'
import { errorEnvelope, transactionEnvelope } from '../flow/envelopes'
import { expectAnalysedInWorker, sendLargeTrace } from './large-trace'
import { post } from './program'
import { expect, type Station, test } from './station'

/** Records what the page of a path shows. @returns the path with its id or number */
async function recorded(path: string, station: Station): Promise<string> {
  const { localDsn } = station.running
  const isEvent = path.startsWith('/events')
  const made = isEvent ? errorEnvelope(localDsn) : transactionEnvelope(localDsn)
  expect(await post(station, made.body)).toBe(200)
  const [newest] = (await station.collector.envelopes()).envelopes
  if (path.startsWith('/envelopes')) return path.replace(':id', String(newest?.seq))
  return path.replace(':id', isEvent ? made.eventId : made.traceId)
}

/** The collector's boards have their own tests. The app mounts the same components. */
for (const { path } of BOARD_PAGES) {
  test(`${path} is a page of the app, too`, async ({ page, station }) => {
    await page.goto(await recorded(path, station))
    await expect(page).toHaveTitle(path === '/' ? 'Waystation' : /^[^·]+ · Waystation$/)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(
      page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Lab', exact: true }),
    ).toBeVisible()
  })
}

test('a link between boards of the app keeps the document; from and to the lab it loads one', async ({ page }) => {
  const header = (name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true })
  const heading = (name: string) => page.getByRole('heading', { level: 1, name })
  const kept = page.locator('html[data-kept]')
  await page.goto('/events')
  await expect(heading('Errors')).toBeVisible()
  await page.evaluate(() => document.documentElement.setAttribute('data-kept', ''))
  await header('Limits').click()
  await expect(heading('Limits')).toBeVisible()
  await expect(page).toHaveTitle('Limits · Waystation')
  await expect(header('Limits')).toHaveAttribute('aria-current', 'page')
  await page.goBack()
  await expect(heading('Errors')).toBeVisible()
  await expect(header('Errors')).toHaveAttribute('aria-current', 'page')
  await expect(kept).toHaveCount(1)
  await header('Lab').click()
  await expect(page).toHaveURL('/lab')
  await expect(kept).toHaveCount(0)
})

test('a large trace is analysed in a worker in the app, too', async ({ page, station }) => {
  const traceId = await sendLargeTrace(async (body) => expect(await post(station, body)).toBe(200))
  await expectAnalysedInWorker(page, traceId)
})
