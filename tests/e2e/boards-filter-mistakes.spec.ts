import { field, query, rows } from './filter-bar'
import { expect, test } from './station'

test('a wrong filter is reported with a suggestion, and the list stays', async ({ page, program }) => {
  await program.sendTransactions({ name: '/wrong/one' })
  await page.goto('/traces?text=wrong')
  await expect(rows(page)).toHaveCount(1)
  await field(page).click()
  await page.keyboard.type(' status:eror')
  await page.keyboard.press('Enter')
  const notes = page.getByRole('search', { name: 'Filter traces' }).getByRole('status')
  await expect(notes).toContainText('must be one of ok, error, unset; did you mean error?')
  await expect(page.getByRole('combobox', { name: 'Status' })).toHaveAttribute('aria-invalid', 'true')
  await expect(rows(page)).toHaveText([/\/wrong\/one/])
  await notes.getByRole('button', { name: 'status:error' }).click()
  await expect(notes).toBeEmpty()
  await expect(page.getByRole('heading', { name: 'No traces match' })).toBeVisible()

  await page.keyboard.press('/')
  await page.keyboard.press('End')
  await page.keyboard.type(' stauts:ok ')
  await expect(notes).toContainText('Traces cannot be filtered by “stauts”; did you mean status?')
  await expect(field(page)).toHaveValue('wrong stauts:ok ')
  await notes.getByRole('button', { name: 'status:ok', exact: true }).click()
  await expect(rows(page)).toHaveText([/\/wrong\/one/])
})

test('an invalid filter stays in the field, and the page shows the filter of the listed rows', async ({
  page,
  program,
}) => {
  await program.sendTransactions({ name: '/refused/one' })
  await page.goto('/traces?text=refused&op=pageload')
  await expect(rows(page)).toHaveCount(1)
  await field(page).fill('duration:5s..1s refused')
  await page.keyboard.press('Enter')
  const still = 'Still showing: op is pageload, “refused”.'
  await expect(page.getByRole('search').getByRole('status')).toContainText(still)
  await expect(field(page)).toHaveValue('duration:5s..1s refused')
  await expect(page.locator('[data-filter="min_duration"]')).toHaveAttribute('data-wrong', 'true')
  await expect(page.locator('[data-filter="max_duration"]')).toHaveAttribute('data-wrong', 'true')
  await expect(rows(page)).toHaveText([/\/refused\/one/])
  await expect(page.getByText('All matching traces are shown.')).toBeHidden()
  await field(page).fill('refused')
  await page.keyboard.press('Enter')
  await expect.poll(() => query(page)).toBe('op=pageload&text=refused')
  await expect(page.getByText('All matching traces are shown.')).toBeVisible()
})

test('an address with a wrong value loads nothing and suggests a correction', async ({ page }) => {
  await page.goto('/traces?status=eror&op=pageload')
  await expect(page.getByRole('heading', { name: 'No traces loaded' })).toBeVisible()
  await page.locator('[data-not-loaded]').getByRole('button', { name: 'status:error' }).click()
  await expect.poll(() => query(page)).toBe('op=pageload&status=error')
  await expect(page.locator('[data-not-loaded]')).toBeHidden()
})

test('an unknown parameter is reported with the nearest name', async ({ page }) => {
  await page.goto('/traces?statsu=error')
  const notes = page.getByRole('search', { name: 'Filter traces' }).getByRole('status')
  await expect(notes).toContainText('Traces cannot be filtered by “statsu”; did you mean status?')
  await notes.getByRole('button', { name: 'status:error' }).click()
  await expect.poll(() => query(page)).toBe('status=error')
  await expect(notes).toBeEmpty()
})

test('a number in the filter field of envelopes links to the envelope', async ({ page }) => {
  await page.goto('/envelopes')
  await field(page, 'envelopes').fill('17')
  await field(page, 'envelopes').press('Enter')
  const notes = page.getByRole('search', { name: 'Filter envelopes' }).getByRole('status')
  await expect(notes).toHaveText('This is an id: open envelope 17')
  await expect(field(page, 'envelopes')).not.toHaveAttribute('aria-invalid')
})

test('an unknown kind of signal is reported with the nearest kind', async ({ page }) => {
  await page.goto('/signals?kind=metrics')
  await expect(page.getByRole('heading', { level: 1, name: 'Unknown kind of signal' })).toBeVisible()
  await expect(page.locator('main code').first()).toHaveText('metrics')
  await page.locator('main').getByRole('link', { name: 'metrics', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Metrics' })).toBeVisible()
})
