import { field, query, rows } from './filter-bar'
import { expect, test } from './station'

test('a wrong term is underlined and explained with a correction, and the others apply', async ({ page, program }) => {
  await program.sendTransactions({ name: '/wrong/one' })
  await page.goto('/traces?q=wrong')
  await expect(rows(page)).toHaveCount(1)
  await field(page).click()
  await page.keyboard.press('End')
  await page.keyboard.type(' status:eror')
  await page.keyboard.press('Enter')
  const notes = page.getByRole('search', { name: 'Filter traces' }).locator('[id$="-notes"]')
  await expect(notes).toContainText('status:eror: must be one of ok, error, unset; did you mean error?')
  await expect(field(page)).toHaveAttribute('aria-invalid', 'true')
  await expect(page.locator('[data-wrong="true"]')).toHaveText('status:eror')
  await expect(rows(page)).toHaveText([/\/wrong\/one/])
  await notes.getByRole('button', { name: 'status:error' }).click()
  await expect(notes).toBeEmpty()
  await expect(page.getByRole('heading', { name: 'No traces match' })).toBeVisible()

  await field(page).fill('wrong stauts:ok ')
  await expect(notes).toContainText(
    'traces have no key stauts; did you mean status?; quote it to search for it as text',
  )
  await expect(field(page)).toHaveValue('wrong stauts:ok ')
  await notes.getByRole('button', { name: 'status:ok', exact: true }).click()
  await expect(rows(page)).toHaveText([/\/wrong\/one/])
})

test('a term that is still being typed is not reported', async ({ page }) => {
  await page.goto('/traces')
  await field(page).click()
  await page.keyboard.type('stauts:o')
  await expect(page.locator('[data-wrong="true"]')).toHaveCount(0)
  await page.keyboard.type(' ')
  await expect(page.locator('[data-wrong="true"]')).toHaveText('stauts:o')
})

test('an address with a wrong value shows what the rest matches and suggests a correction', async ({
  page,
  program,
}) => {
  await program.sendTransactions({ name: '/rest/one' })
  await page.goto('/traces?status=eror&text=rest')
  await expect(rows(page)).toHaveText([/\/rest\/one/])
  await page.getByRole('search').getByRole('button', { name: 'status:error' }).click()
  await expect.poll(() => query(page)).toBe('status:error rest')
})

test('an unknown parameter is reported with the nearest name', async ({ page }) => {
  await page.goto('/traces?statsu=error')
  const note = page.locator('[data-unknown-parameter="statsu"]')
  await expect(note).toContainText('Traces cannot be filtered by “statsu”; did you mean status?')
  await note.getByRole('button', { name: 'status=error' }).click()
  await expect.poll(() => query(page)).toBe('status:error')
  await expect(note).toHaveCount(0)
  await page.goto('/traces?qqqqq=1')
  await page.getByRole('button', { name: 'Remove it' }).click()
  await expect.poll(() => new URL(page.url()).search).toBe('')
})

test('an id in the field links to its page, and Enter opens the only one', async ({ page }) => {
  await page.goto('/envelopes')
  await field(page, 'envelopes').fill('17')
  const note = page.getByText('This is an id:')
  await expect(note.getByRole('link')).toHaveAttribute('href', '/envelopes/17')
  await expect(note).toContainText('The list is not filtered by it.')
  await expect(field(page, 'envelopes')).not.toHaveAttribute('aria-invalid')
  await field(page, 'envelopes').press('Enter')
  await expect(page).toHaveURL('/envelopes/17')
  await page.goBack()
  await expect(field(page, 'envelopes')).toHaveValue('')
  await page.goto(`/traces?q=${'ab'.repeat(16)}`)
  await expect(page.getByText('This is an id:').getByRole('link').first()).toHaveText('open trace abababab')
})

test('words above a list without texts do not apply, and link to the errors', async ({ page }) => {
  await page.goto('/envelopes')
  await field(page, 'envelopes').fill('OutOfStockError ')
  const note = page.getByRole('status').filter({ hasText: 'OutOfStockError does not apply: envelopes have no texts' })
  await expect(note.getByRole('link')).toHaveAttribute('href', '/errors?q=OutOfStockError')
})

test('dead letters, which are no delivery status, are linked', async ({ page }) => {
  await page.goto('/envelopes?delivery=dead_letter')
  await expect(page.getByRole('link', { name: 'Open the dead letters' })).toHaveAttribute(
    'href',
    '/deliveries?show=dead-letters',
  )
})

test('an unknown kind of signal is reported with the nearest kind', async ({ page }) => {
  await page.goto('/logs?kind=loggs')
  await expect(page.getByRole('heading', { level: 2, name: 'Unknown kind of signal' })).toBeVisible()
  await expect(page.locator('main code').first()).toHaveText('loggs')
  await page.locator('main').getByRole('link', { name: 'logs', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Logs' })).toBeVisible()
})
