import { asked, field, rows } from './filter-bar'
import { expect, test } from './station'

test('a wrong filter is told what is meant, and the list stays as it was', async ({ page, program }) => {
  await program.sendTransactions({ name: '/wrong/one' })
  await page.goto('/traces?text=wrong')
  await expect(rows(page)).toHaveCount(1)
  await field(page).click()
  await page.keyboard.type(' status:eror')
  await page.keyboard.press('Enter')
  const said = page.getByRole('search', { name: 'Narrow the traces' }).getByRole('status')
  await expect(said).toContainText('must be one of ok, error, unset; did you mean error?')
  await expect(page.getByRole('combobox', { name: 'Status' })).toHaveAttribute('aria-invalid', 'true')
  await expect(rows(page)).toHaveText([/\/wrong\/one/])
  await said.getByRole('button', { name: 'status:error' }).click()
  await expect(said).toBeEmpty()
  await expect(page.getByRole('heading', { name: 'None of the traces kept here matches' })).toBeVisible()

  await page.keyboard.press('/')
  await page.keyboard.press('End')
  await page.keyboard.type(' stauts:ok ')
  await expect(said).toContainText('Traces cannot be narrowed by “stauts”; did you mean status?')
  await expect(field(page)).toHaveValue('wrong stauts:ok ')
  await said.getByRole('button', { name: 'status:ok', exact: true }).click()
  await expect(rows(page)).toHaveText([/\/wrong\/one/])
})

test('what was refused stays in the field, and the list says what it still shows', async ({ page, program }) => {
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
  await expect(page.getByText('These are all traces kept here that match.')).toBeHidden()
  await field(page).fill('refused')
  await page.keyboard.press('Enter')
  await expect.poll(() => asked(page)).toBe('op=pageload&text=refused')
  await expect(page.getByText('These are all traces kept here that match.')).toBeVisible()
})

test('an address with a wrong value asks for nothing, and offers what was meant', async ({ page }) => {
  await page.goto('/traces?status=eror&op=pageload')
  await expect(page.getByRole('heading', { name: 'Not asked for traces yet' })).toBeVisible()
  await page.locator('[data-not-asked]').getByRole('button', { name: 'status:error' }).click()
  await expect.poll(() => asked(page)).toBe('op=pageload&status=error')
  await expect(page.locator('[data-not-asked]')).toBeHidden()
})

test('a name in an address that there is not is told, with the nearest', async ({ page }) => {
  await page.goto('/traces?statsu=error')
  const said = page.getByRole('search', { name: 'Narrow the traces' }).getByRole('status')
  await expect(said).toContainText('Traces cannot be narrowed by “statsu”; did you mean status?')
  await said.getByRole('button', { name: 'status:error' }).click()
  await expect.poll(() => asked(page)).toBe('status=error')
  await expect(said).toBeEmpty()
})

test('a number above the envelopes leads to one, and is no mistake', async ({ page }) => {
  await page.goto('/envelopes')
  await field(page, 'envelopes').fill('17')
  await field(page, 'envelopes').press('Enter')
  const said = page.getByRole('search', { name: 'Narrow the envelopes' }).getByRole('status')
  await expect(said).toHaveText('This is an id: open envelope 17')
  await expect(field(page, 'envelopes')).not.toHaveAttribute('aria-invalid')
})

test('a kind of signal that there is not is told so, with the nearest', async ({ page }) => {
  await page.goto('/signals?kind=metrics')
  await expect(page.getByRole('heading', { level: 1, name: 'There is no such kind of signal' })).toBeVisible()
  await expect(page.locator('main code').first()).toHaveText('metrics')
  await page.locator('main').getByRole('link', { name: 'metrics', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Metrics' })).toBeVisible()
})
