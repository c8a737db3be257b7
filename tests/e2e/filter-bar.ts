import type { Page } from './station'

/** The query field of a list. */
export const field = (page: Page, noun = 'traces') => page.getByRole('combobox', { name: `Filter ${noun}` })
export const rows = (page: Page) => page.locator('tbody tr')

/** The query of the list in the page's address. */
export const query = (page: Page): string => new URL(page.url()).searchParams.get('q') ?? ''

/** Opens the menu of a facet. */
export async function openFacet(page: Page, label: string): Promise<void> {
  await page.getByRole('search').getByRole('button', { name: label }).click()
}

/** An entry of an open menu: `pageload 2`. */
export const choice = (page: Page, name: string | RegExp) => page.getByRole('menuitemcheckbox', { name })
