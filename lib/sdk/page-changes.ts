import * as Sentry from '@sentry/nextjs'

/** The span from the start of a navigation until Next shows its page. */
const SHOW_PAGE = { name: 'show page', op: 'ui.render' } as const

/** Next marks its own entries of the history with it. */
const NEXT_MARK = '__NA'

/** The parts of a window that navigations need. */
export interface NavigatedWindow {
  readonly location: Pick<Location, 'href'>
  readonly history: Pick<History, 'pushState' | 'replaceState'>
}

type Client = Parameters<typeof Sentry.startBrowserTracingNavigationSpan>[0]

/** Parameters as Next passes them to `onRouterTransitionStart`; `startedAt` is in epoch seconds and defaults to now. */
export type StartNavigation = (href: string, type: string, startedAt?: number) => void

/**
 * Traces the navigations of Next's router: links, its methods and the history buttons. The SDK's own hook listens to
 * `popstate`, too, which follows Next's listener when the SDK starts late, so each step back would be two navigations.
 *
 * A navigation lasts until its page is shown. The SDK alone would end it a second after the last response: on a slow device
 * before React has rendered, so before `markNotFound` knows that the page is missing.
 */
export function traceNavigations(client: Client, page: NavigatedWindow): StartNavigation {
  let shown: Sentry.Span | null = null
  const end = (): void => {
    shown?.end()
    shown = null
  }
  onNextCommit(page.history, end)
  return (href, type, startedAt) => {
    const target = URL.canParse(href, page.location.href) ? new URL(href, page.location.href) : null
    // The router passes `mailto:` and the like on to the browser, and the page stays.
    if (target === null || !/^https?:$/.test(target.protocol)) return
    end()
    Sentry.startBrowserTracingNavigationSpan(
      client,
      {
        // In the streamed lifecycle the SDK would send `Navigation`; the contract names a page by its path.
        name: target.pathname,
        startTime: startedAt,
        attributes: {
          'sentry.op': 'navigation',
          'sentry.origin': 'auto.navigation.nextjs.app_router_instrumentation',
          'sentry.segment.name.source': 'url',
          'navigation.type': `router.${type}`,
        },
      },
      { url: target.href },
    )
    const isShown = startedAt !== undefined && target.href === page.location.href
    if (!isShown && Sentry.getActiveSpan() !== undefined) shown = Sentry.startInactiveSpan(SHOW_PAGE)
  }
}

/** Next writes the history once it has rendered a page, also when the address stays the same. */
function onNextCommit(history: NavigatedWindow['history'], committed: () => void): void {
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
