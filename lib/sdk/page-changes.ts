import * as Sentry from '@sentry/nextjs'
import type { Integration } from './transport'

/** The span from the start of a navigation until Next shows its page and changes the address. */
const SHOW_PAGE = { name: 'show page', op: 'ui.render' } as const

/**
 * A navigation lasts until its page is shown. The SDK alone would end it a second after the last response: on a slow
 * device before React has rendered, so before `markNotFound` knows that the page is missing. Must be set up after the
 * SDK's own tracing, which starts the navigation.
 * @param addressOf returns the present address, such as `window.location.href`.
 */
export function pageChanges(addressOf: () => string): Integration {
  return {
    name: 'PageChanges',
    afterAllSetup: (client) => {
      let shown: Sentry.Span | null = null
      client.on('startNavigationSpan', (_, { url, isRedirect } = {}) => {
        // With history buttons the address changes first, and a link to the present address does not change it.
        if (url === undefined || url === addressOf() || isRedirect === true) return
        if (Sentry.getActiveSpan() !== undefined) shown = Sentry.startInactiveSpan(SHOW_PAGE)
      })
      // The SDK adds a breadcrumb when the address has changed.
      client.on('beforeAddBreadcrumb', ({ category }) => {
        if (category !== 'navigation') return
        shown?.end()
        shown = null
      })
    },
  }
}

/**
 * Returns true when the document was answered with 404. The SDK may send a page load before React runs and can mark it.
 * False in browsers that do not tell the status: then React alone marks the page.
 */
export function isMissingDocument(performance: Pick<Performance, 'getEntriesByType'>): boolean {
  const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return document?.responseStatus === 404
}
