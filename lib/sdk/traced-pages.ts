import * as Sentry from '@sentry/nextjs'
import { NOT_FOUND_ATTRIBUTE } from '../contract/missing-page'
import { TRACED_FROM_ATTRIBUTE } from '../contract/values'

/** The span from the start of a navigation until Next shows its page. */
const SHOW_PAGE = { name: 'show page', op: 'ui.render' } as const

/** Next marks its own entries of the history with it. */
const NEXT_MARK = '__NA'

/** The parts of a window that page loads and navigations need. */
export interface TracedWindow {
  readonly location: Pick<Location, 'href' | 'pathname'>
  readonly history: Pick<History, 'pushState' | 'replaceState'>
  readonly performance: Pick<Performance, 'getEntriesByType' | 'now'>
}

type Client = Parameters<typeof Sentry.startBrowserTracingNavigationSpan>[0]

/** Parameters as Next passes them to `onRouterTransitionStart`; `startedAt` is in epoch seconds and defaults to now. */
export type StartNavigation = (href: string, type: string, startedAt?: number) => void

/**
 * Starts the page load of the page that was opened, and returns the function that starts navigations of Next's router:
 * links, its methods and the history buttons.
 *
 * Both replace the SDK's own. In the streamed lifecycle those are named `Pageload` and `Navigation`; the contract names a
 * page by its path. They also listen to `popstate`, which follows Next's listener when the SDK starts late, so each step back
 * would be two navigations.
 *
 * A navigation lasts until its page is shown. The SDK alone would end it a second after the last response: on a slow device
 * before React has rendered, so before `markNotFound` knows that the page is missing.
 */
export function tracePages(client: Client, page: TracedWindow, openedPath: string): StartNavigation {
  const { location, performance } = page
  let shown: Sentry.Span | null = null
  const end = (): void => {
    shown?.end()
    shown = null
  }
  Sentry.startBrowserTracingPageLoadSpan(client, {
    name: openedPath,
    attributes: {
      ...originOf('pageload'),
      // The visitor may be on another page by now.
      ...(location.pathname !== openedPath && {
        'url.path': openedPath,
        'url.full': new URL(openedPath, location.href).href,
      }),
      [TRACED_FROM_ATTRIBUTE]: Math.round(performance.now()),
      ...(isMissingDocument(performance) && { [NOT_FOUND_ATTRIBUTE]: true }),
    },
  })
  onNextCommit(page.history, end)
  return (href, type, startedAt) => {
    const target = URL.canParse(href, location.href) ? new URL(href, location.href) : null
    // The router passes `mailto:` and the like on to the browser, and the page stays.
    if (target === null || !/^https?:$/.test(target.protocol)) return
    end()
    Sentry.startBrowserTracingNavigationSpan(
      client,
      {
        name: target.pathname,
        startTime: startedAt,
        attributes: { ...originOf('navigation'), 'navigation.type': `router.${type}` },
      },
      { url: target.href },
    )
    const isShown = startedAt !== undefined && target.href === location.href
    if (!isShown && Sentry.getActiveSpan() !== undefined) shown = Sentry.startInactiveSpan(SHOW_PAGE)
  }
}

/** The SDK's values for a path as the name: upstream groups URLs. */
const originOf = (op: 'pageload' | 'navigation') => ({
  'sentry.origin': `auto.${op}.nextjs.app_router_instrumentation`,
  'sentry.segment.name.source': 'url' as const,
})

/** Next writes the history once it has rendered a page, also when the address stays the same. */
function onNextCommit(history: TracedWindow['history'], committed: () => void): void {
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name]
    history[name] = (data, ...rest) => {
      original.call(history, data, ...rest)
      if (typeof data === 'object' && data !== null && NEXT_MARK in data) committed()
    }
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
