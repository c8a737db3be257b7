import type { Page } from './station'

/** The field above a list. */
export const field = (page: Page, noun = 'traces') => page.getByRole('searchbox', { name: `Filter ${noun}` })
export const rows = (page: Page) => page.locator('tbody tr')

/** The query of the page's address, in the order of its names. */
export const asked = (page: Page): string => {
  const params = new URL(page.url()).searchParams
  params.sort()
  return params.toString()
}
