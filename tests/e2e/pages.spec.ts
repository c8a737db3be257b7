import { BOARD_PAGES } from '../../lib/wire/pages'
import { errorEnvelope, transactionEnvelope } from '../flow/envelopes'
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
    await expect(page.getByRole('navigation', { name: 'Pages' }).getByText('Lab')).toBeVisible()
  })
}
