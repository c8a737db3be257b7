import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContext } from '@playwright/test'
import { visitorHash } from '../../lib/tunnel/visitor'
import { axeFindings, overflow, smallText } from './page-quality'
import { cause, expect, type Page, type Station, test } from './station'

// A station of its own: deleted records may never reach upstream. The lab causes errors on purpose.
test.use({ env: { WAYSTATION_CONSENT: 'all' }, unexpectedErrors: 'ignore' })

const open = (browser: Browser, station: Station, javaScriptEnabled = true): Promise<BrowserContext> =>
  browser.newContext({ baseURL: station.home, javaScriptEnabled })

const visitorCookies = async (context: BrowserContext) =>
  (await context.cookies()).filter(({ name }) => name.startsWith('waystation-visitor-'))

/** A browser that has sent an error. @returns the page, and the numbers of its records */
async function sender(browser: Browser, station: Station): Promise<{ readonly page: Page; readonly seqs: string[] }> {
  const page = await (await open(browser, station)).newPage()
  await page.goto('/diagnostics')
  await expect(page.getByText('Nothing is recorded about this browser')).toBeVisible()
  expect(await visitorCookies(page.context())).toEqual([])
  await cause(page, 'handled-error')
  await expect
    .poll(async () => {
      await page.goto('/diagnostics')
      return page.locator('main').innerText()
    })
    .toMatch(/\d records?: .*error/)
  const links = await page.getByRole('link', { name: /^Record \d+$/ }).allInnerTexts()
  return { page, seqs: links.map((text) => text.replace('Record ', '')) }
}

test('two browsers read and delete their own records, and nothing of the other, whatever they send', async ({
  browser,
  station,
}) => {
  const [mine, theirs] = [await sender(browser, station), await sender(browser, station)]
  expect(mine.seqs.filter((seq) => theirs.seqs.includes(seq))).toEqual([])
  const cookies = await visitorCookies(mine.page.context())
  expect(cookies.length).toBeGreaterThan(0)
  for (const cookie of cookies)
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', expires: -1, path: '/' })

  for (const seq of mine.seqs) {
    await theirs.page.goto(`/diagnostics?record=${seq}`)
    await expect(theirs.page.getByRole('alert')).toHaveText('There is no such record, or it is not one of yours.')
  }
  // The hash is what the collector knows; neither a header nor a cookie with it opens anything.
  const hash = visitorHash(cookies[0]?.value ?? '')
  const forged = await theirs.page.context().request.get('/diagnostics?download', {
    headers: { 'x-waystation-visitor': hash },
  })
  const seen = (await forged.json()).records.map(({ seq }: { seq: number }) => String(seq))
  // Leaving a page may have sent more.
  expect(seen).toEqual(expect.arrayContaining(theirs.seqs))
  expect(mine.seqs.filter((seq) => seen.includes(seq))).toEqual([])
  const stranger = await open(browser, station)
  const name = `waystation-visitor-${hash.slice(0, 4)}`
  await stranger.addCookies([{ name, value: hash, url: station.home }])
  const claimed = await stranger.request.get('/diagnostics?download', { headers: { 'x-waystation-visitor': hash } })
  expect(await claimed.json()).toEqual({ records: [] })

  await theirs.page.goto('/diagnostics')
  await theirs.page.getByRole('link', { name: 'Delete everything' }).click()
  await theirs.page.getByRole('button', { name: 'Delete everything' }).click()
  await expect(theirs.page.getByRole('status')).toContainText(
    'Everything that was recorded about this browser is deleted.',
  )
  await mine.page.goto('/diagnostics')
  await expect(mine.page.getByRole('link', { name: `Record ${mine.seqs[0]}`, exact: true })).toBeVisible()
  for (const { page } of [mine, theirs]) await page.context().close()
  await stranger.close()
})

test('works without JavaScript, by keyboard, at 360 px and in both themes, with no finding of axe', async ({
  browser,
  station,
}) => {
  const { page: sent, seqs } = await sender(browser, station)
  for (const theme of ['light', 'dark'] as const) {
    await sent.emulateMedia({ colorScheme: theme })
    await sent.setViewportSize({ width: 360, height: 740 })
    for (const query of ['', `?record=${seqs[0]}`, '?delete']) {
      await sent.goto(`/diagnostics${query}`)
      expect([theme, query, await overflow(sent)]).toEqual([theme, query, null])
      expect(await smallText(sent)).toEqual([])
      expect(await axeFindings(sent)).toEqual([])
    }
  }

  const plain = await open(browser, station, false)
  await plain.addCookies(await sent.context().cookies())
  const page = await plain.newPage()
  await page.goto('/diagnostics')
  await page.getByRole('link', { name: `Record ${seqs.at(-1)}`, exact: true }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Record ${seqs.at(-1)}`)
  await page.getByRole('link', { name: 'All records' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download everything' }).click()
  const { records } = JSON.parse(await readFile(await (await downloading).path(), 'utf8'))
  expect(records.length).toBeGreaterThanOrEqual(seqs.length)
  await page.getByRole('link', { name: 'Delete everything' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Delete everything' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status')).toContainText('deleted')
  await page.goto('/diagnostics')
  await expect(page.getByText('Nothing is recorded about this browser')).toBeVisible()
  await plain.close()
  await sent.context().close()
})

test('is not traced, and is reached from the lab', async ({ page, station }) => {
  await page.goto('/lab')
  await page.getByRole('link', { name: 'What was sent about me' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('What was sent about me')
  const answer = await page.goto('/diagnostics')
  expect(answer?.headers()['server-timing']).toBeUndefined()
  await cause(page, 'handled-error')
  const named = async () =>
    (await station.collector.segments()).segments.filter(({ name }) => name?.includes('diagnostics'))
  expect(await named()).toEqual([])
})
