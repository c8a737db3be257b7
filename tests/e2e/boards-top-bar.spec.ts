import { errorEnvelope, transactionEnvelope } from '../flow/envelopes'
import { choice, query, rows } from './filter-bar'
import { overflow } from './page-quality'
import { post } from './program'
import { answerOf, expect, type Page, test } from './station'

const OTHER = 'http://other@127.0.0.1:9/73'
test.use({ env: { WAYSTATION_UPSTREAM: 'stand-in', WAYSTATION_DSNS: OTHER } })

const WIDTHS = [360, 720, 721, 1180, 1181, 1440] as const

/** How far the parts of the title bar reach below it, or into the tools at its end, in px. */
const overlap = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const tools = document
      .querySelector('main')
      ?.previousElementSibling?.firstElementChild?.getBoundingClientRect().left
    const bar = document.querySelector('main h1')?.parentElement
    const parts = [...(bar?.children ?? [])].map((part) => part.getBoundingClientRect())
    const bottom = bar?.getBoundingClientRect().bottom ?? 0
    return Math.max(...parts.map((part) => Math.max(part.right - (tools ?? 0), part.bottom - bottom)))
  })

test('the title bar says what a list covers, and its menu chooses a project', async ({ page, station }, info) => {
  const { localDsn } = station.running
  expect(await post(station, transactionEnvelope(localDsn, { name: '/scope/one' }).body)).toBe(200)
  expect(await post(station, transactionEnvelope(OTHER, { name: '/scope/other' }).body, { dsn: OTHER })).toBe(200)
  await page.goto('/traces?q=scope')
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByText(/^all projects, newest first, received since /)).toBeVisible()
  await expect(page.locator('[data-scope="run"]')).toHaveText('Run present')
  await page.getByRole('button', { name: 'Project' }).click()
  await choice(page, /^73/).click()
  await expect(rows(page)).toHaveText([/\/scope\/other/])
  expect(query(page)).toBe('scope project:73')
  await expect(page.getByText(/^project 73, newest first, received since /)).toBeVisible()
  await page.keyboard.press('Escape')
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    expect.soft(await overflow(page), `at ${width} px`).toBeNull()
    await page.screenshot({ path: info.outputPath(`top-bar-${width}.png`) })
    await expect.poll(() => overlap(page), { message: `at ${width} px` }).toBeLessThanOrEqual(0)
  }
  for (const path of ['/contract', '/errors']) {
    await page.goto(path)
    await expect(page.locator('[data-scope="project"]')).toHaveText('Project all')
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      await expect.poll(() => overlap(page), { message: `${path} at ${width} px` }).toBeLessThanOrEqual(0)
    }
  }
})

test('the status line says whether the ledger balances, and a saved run is named', async ({ page, station }) => {
  expect(await post(station, errorEnvelope(station.running.localDsn).body)).toBe(200)
  await page.goto('/traces')
  const ledger = page.locator('[data-ledger]')
  await expect(ledger).toHaveText('ledger balances')
  await expect(ledger).toHaveAttribute('href', '/losses')
  const figures = await station.collector.figures()
  const line = { ...figures.line, unexplained: [{ category: 'error', quantity: 2 }] }
  const status = { ...(await station.collector.status()), run: 'checkout e2e', localDsn: null }
  await page.route('**/query/figures', (route) => route.fulfill(answerOf({ ...figures, line, projects: ['1'] })))
  await page.route('**/query/status', (route) => route.fulfill(answerOf(status)))
  await page.reload()
  await expect(ledger).toHaveText('ledger: 2 unexplained of error')
  await expect(page.locator('[data-scope="project"]')).toHaveText('Project 1')
  await expect(page.locator('[data-scope="run"]')).toHaveText('Run checkout e2e')
  await expect(page.getByText(/^run checkout e2e, all projects, newest first/)).toBeVisible()
  await expect(page.getByText('local DSN')).toHaveCount(0)
})
