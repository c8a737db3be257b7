import type { Page } from './station'

/** The filter field of a list. */
export const field = (page: Page, noun = 'traces') => page.getByRole('searchbox', { name: `Filter ${noun}` })
export const rows = (page: Page) => page.locator('tbody tr')

/** The query of the page's address, sorted by name. */
export const query = (page: Page): string => {
  const params = new URL(page.url()).searchParams
  params.sort()
  return params.toString()
}
