import * as Sentry from '@sentry/nextjs'
import {
  BREADCRUMBS,
  CHILD_SPAN_TIMEOUT_MS,
  EVENT_BUFFER_ITEMS,
  FINAL_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  TRACE_HEADER_TARGETS,
  TUNNEL_PATH,
} from '../contract/values'
import { PAGE_HEADER } from '../protocol/request'
import { DATA_COLLECTION } from './collection'
import { filteringTransport } from './filtering-transport'
import { LAB_HEADER, LAB_TAG } from './lab'
import { isMissingPage } from './leave-out'
import { isBoard, isLab, isOnTheLine } from './page'
import type { Integration } from './sdk'
import type { TelemetrySettings } from './settings'

export interface BrowserPage {
  readonly path: string
  /** Random, one per page load. */
  readonly id: string
}

/** Starts the SDK in a page. Which page it is decides what is sent: boards report errors and nothing else. */
export function initBrowser(settings: TelemetrySettings, page: BrowserPage): void {
  const lab = isLab(page.path)
  Sentry.init({
    dsn: settings.dsn,
    tunnel: TUNNEL_PATH,
    environment: settings.environment,
    ...(settings.release !== null && { release: settings.release }),
    traceLifecycle: settings.lifecycle,
    maxBreadcrumbs: BREADCRUMBS,
    dataCollection: DATA_COLLECTION,
    transport: (options: FetchTransportOptions) =>
      filteringTransport(Sentry.makeFetchTransport(options), isMissingPage, options.recordDroppedEvent),
    transportOptions: {
      bufferSize: EVENT_BUFFER_ITEMS,
      headers: { [PAGE_HEADER]: page.id, ...(lab && { [LAB_HEADER]: '1' }) },
    },
    beforeBreadcrumb: (breadcrumb) => (isOwnRequest(breadcrumb.data?.url) ? null : breadcrumb),
    ...(isBoard(page.path) ? withoutTracing : withTracing(page)),
  })
  if (!lab) return
  Sentry.getGlobalScope().setTag(LAB_TAG, 'yes')
  Sentry.getGlobalScope().setAttribute(LAB_TAG, true)
}

type BrowserOptions = Sentry.BrowserOptions
type FetchTransportOptions = Parameters<typeof Sentry.makeFetchTransport>[0]

const withoutTracing: BrowserOptions = {
  integrations: (defaults) => defaults.filter((one) => one.name !== 'BrowserTracing' && one.name !== 'BrowserSession'),
}

/** The SDK calls a name that `beforeStartSpan` gave a custom one; a path is a URL, which upstream groups by itself. */
const PATHS_ARE_URLS: Integration = {
  name: 'PathsAreUrls',
  setup: (client) => {
    client.on('afterStartPageLoadSpan', (span) => span.setAttribute('sentry.segment.name.source', 'url'))
  },
}

const withTracing = (page: BrowserPage): BrowserOptions => ({
  tracesSampleRate: 1,
  tracePropagationTargets: [...TRACE_HEADER_TARGETS],
  integrations: [
    PATHS_ARE_URLS,
    Sentry.browserTracingIntegration({
      idleTimeout: IDLE_TIMEOUT_MS,
      finalTimeout: FINAL_TIMEOUT_MS,
      childSpanTimeout: CHILD_SPAN_TIMEOUT_MS,
      shouldCreateSpanForRequest: (url) => !isOwnRequest(url),
      // Streamed, the SDK would send the word `Pageload`; the contract names a page by its path.
      beforeStartSpan: (span) => (span.op === 'pageload' ? { ...span, name: page.path } : span),
    }),
  ],
})

/** A request of the page to tunnel or collector, relative or absolute. */
function isOwnRequest(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url, window.location.href)) return false
  const target = new URL(url, window.location.href)
  return target.origin === window.location.origin && isOnTheLine(target.pathname)
}
