import axe, { type AxeResults, type RunOptions } from 'axe-core'
import type { Page } from './station'

const SMALLEST_PX = 11

/**
 * The findings of axe in the present theme, one line for each node.
 * @param rules those that run; without any, all
 */
export async function axeFindings(
  page: Page,
  rules: { readonly only?: readonly string[]; readonly without?: readonly string[] } = {},
): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const options: RunOptions = {
    resultTypes: ['violations'],
    ...(rules.only !== undefined && { runOnly: [...rules.only] }),
    rules: Object.fromEntries((rules.without ?? []).map((id) => [id, { enabled: false }])),
  }
  // The function runs in the page, where the source above has defined `axe`.
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`)
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${impact}): ${target.join(' ')}: ${failureSummary ?? ''}`),
  )
}

/** Whether the document can be scrolled sideways, and what reaches beyond its edge. */
export const overflow = (page: Page): Promise<string | null> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return null
    const beyond = [...document.querySelectorAll('main *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1,
    )
    return `${scrollWidth} px wide: ${beyond
      .slice(0, 3)
      .map((element) => element.outerHTML.slice(0, 160))
      .join(' | ')}`
  })

/** Elements with visible text below 11 px. */
export const smallText = (page: Page): Promise<readonly string[]> =>
  page.locator('body *').evaluateAll(
    (elements, least) =>
      elements
        .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim()))
        .filter((element) => element.checkVisibility() && Number.parseFloat(getComputedStyle(element).fontSize) < least)
        .map((element) => element.outerHTML.slice(0, 120)),
    SMALLEST_PX,
  )
