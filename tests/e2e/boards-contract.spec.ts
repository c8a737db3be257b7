import { CONTRACT } from '../../lib/contract/settings'
import { errorEnvelope, type MadeEnvelope } from '../flow/envelopes'
import { expect, type Page, type Station, test } from './station'

/** A browser error with this many breadcrumbs. */
const errorWith = ({ running }: Station, message: string, breadcrumbs: number): MadeEnvelope =>
  errorEnvelope(running.localDsn, { message, breadcrumbs })

const rowOf = (page: Page, id: string) => page.locator(`tr[data-rule="${id}"]`)

test('each setting of the contract shows its value, its source and its verdict', async ({ page, station, program }) => {
  await program.send(errorWith(station, 'one of few', 3).body, 'kept')
  await page.goto('/contract?stamp=kept')
  await expect(page.getByRole('heading', { level: 1, name: 'Contract' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'live' })).toBeVisible()
  const settings = page.getByRole('table', { name: 'Settings' })
  for (const { id, title, value, setBy } of CONTRACT) {
    const row = settings.locator(`tr[data-rule="${id}"]`)
    for (const text of [title, value, setBy]) await expect(row).toContainText(text)
    await expect(row).toHaveAttribute('data-verdict', /^(?:pass|fail|incomplete|stated)$/)
  }
  await expect(rowOf(page, 'breadcrumbs')).toHaveAttribute('data-verdict', 'pass')
  await expect(rowOf(page, 'tunnel')).toHaveAttribute('data-verdict', 'incomplete')
  await expect(rowOf(page, 'prefetch-queue')).toHaveAttribute('data-verdict', 'stated')
  await expect(page.locator('[data-submissions]')).toContainText('1 envelope with 1 item')
})

test('a violation appears live and links to its item', async ({ page, station, program }) => {
  await program.send(errorWith(station, 'one of few', 3).body, 'broken')
  await page.goto('/contract?stamp=broken')
  const row = rowOf(page, 'breadcrumbs')
  await expect(row).toHaveAttribute('data-verdict', 'pass')
  const { body, eventId } = errorWith(station, 'one of <b>many</b>', 130)
  await program.send(body, 'broken')
  await expect(row).toHaveAttribute('data-verdict', 'fail')
  await expect(row).toContainText('fail')
  await expect(page.locator('[data-failing]').getByRole('link', { name: 'Breadcrumb list' })).toBeVisible()
  const findings = page.locator('[data-findings="breadcrumbs"]')
  await expect(findings.getByRole('listitem')).toHaveCount(1)
  await expect(findings).toContainText('130')
  await findings.getByRole('link', { name: 'one of <b>many</b>' }).click()
  await expect(page).toHaveURL(`/events/${eventId}`)
})

test('without recorded telemetry nothing passes, and the page explains how to record some', async ({ page }) => {
  await page.goto('/contract?stamp=nobodys')
  await expect(page.getByRole('heading', { name: 'Nothing recorded with this stamp' })).toBeVisible()
  await expect(page.locator('tr[data-verdict="incomplete"]').first()).toBeVisible()
  await expect(page.locator('tr[data-verdict="pass"]')).toHaveCount(0)
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page).toHaveURL('/contract')
})

test('failures are reachable by keyboard and fit a narrow screen', async ({ page, station, program }) => {
  for (const n of [1, 2, 3, 4, 5, 6, 7]) await program.send(errorWith(station, `failed ${n}`, 130).body, 'narrow')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/contract?stamp=narrow')
  const findings = page.locator('[data-findings="breadcrumbs"]')
  await expect(findings.getByRole('listitem').filter({ visible: true })).toHaveCount(5)
  await findings.getByText('2 more').focus()
  await page.keyboard.press('Enter')
  await expect(findings.getByRole('listitem').filter({ visible: true })).toHaveCount(7)
  const jump = page.locator('[data-failing]').getByRole('link', { name: 'Breadcrumb list' })
  await jump.focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#breadcrumbs$/)
  await expect(rowOf(page, 'breadcrumbs')).toBeInViewport()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})
