import * as Sentry from '@sentry/nextjs'
import { isMissingPage, NOT_FOUND_ATTRIBUTE } from '../contract/missing-page'
import {
  CHILD_SPAN_TIMEOUT_MS,
  EVENT_BUFFER_ITEMS,
  FINAL_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  TRACE_HEADER_TARGETS,
} from '../contract/values'
import { allowsItem } from '../protocol/consent'
import { PAGE_HEADER } from '../protocol/request'
import { consentingTransport, type PageConsent, pageConsent } from './consent'
import { LAB_HEADER, LAB_TAG } from './lab'
import { offlineTransport } from './offline'
import { filteringTransport } from './outgoing-filter'
import { isMissingDocument, pageChanges } from './page-changes'
import { isBoard, isLab, isOwnPath } from './paths'
import {
  commonOptions,
  PAGE_SAMPLE_RATE,
  parseSettings,
  SETTINGS_ATTRIBUTE,
  SETTINGS_PATH,
  type TelemetrySettings,
} from './settings'
import type { Integration } from './transport'
import { newUuid } from './uuid'

interface BrowserPage {
  readonly path: string
  /** Random, one per page load. */
  readonly id: string
}

/** Starts the SDK in a page. Boards report errors only: without tracing and without sessions. */
function initBrowser(settings: TelemetrySettings, page: BrowserPage): void {
  const lab = isLab(page.path)
  const consent = pageConsent(window, settings.consent)
  Sentry.init({
    ...commonOptions(settings),
    tunnel: settings.tunnel,
    transport: (options: FetchTransportOptions) =>
      filteringTransport(
        consentingTransport(
          offlineTransport((fetchLike) => Sentry.makeFetchTransport(options, fetchLike), {
            page: window,
            tunnel: settings.tunnel,
            fetch: window.fetch.bind(window),
            consent: consent.current,
            now: Date.now,
            newUuid,
          }),
          consent.current,
        ),
        isMissingPage,
        options.recordDroppedEvent,
      ),
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
  openTelemetry = loadOpenTelemetry(settings, consent)
}

/** The lab alone uses `@opentelemetry/api`, so other pages do not download the SDK. */
async function loadOpenTelemetry(settings: TelemetrySettings, consent: PageConsent): Promise<void> {
  try {
    await loaded(document)
    const { startOpenTelemetry } = await import('./otel-browser')
    startOpenTelemetry(window, {
      settings,
      mayExport: () => allowsItem(consent.current(), 'span'),
      activeSpan: Sentry.getActiveSpan,
      attributes: { [LAB_TAG]: true },
      headers: { [LAB_HEADER]: '1' },
    })
  } catch (error) {
    console.error('OpenTelemetry is off in this page: its SDK could not be loaded.', error)
  }
}

/** Resolves after the first paint, when the page with its own scripts and images is complete. */
const loaded = (page: Document): Promise<void> =>
  new Promise((resolve) => {
    if (page.readyState === 'complete') resolve()
    else window.addEventListener('load', () => resolve(), { once: true })
  })

type BrowserOptions = Sentry.BrowserOptions
type FetchTransportOptions = Parameters<typeof Sentry.makeFetchTransport>[0]

const withoutTracing: BrowserOptions = {
  integrations: (defaults) => defaults.filter((one) => one.name !== 'BrowserTracing' && one.name !== 'BrowserSession'),
}

/** The SDK marks names set in `beforeStartSpan` as custom. A path is a URL, and upstream groups URLs. */
const PATHS_ARE_URLS: Integration = {
  name: 'PathsAreUrls',
  setup: (client) => {
    client.on('afterStartPageLoadSpan', (span) => span.setAttribute('sentry.segment.name.source', 'url'))
  },
}

const withTracing = (page: BrowserPage): BrowserOptions => ({
  tracesSampleRate: PAGE_SAMPLE_RATE,
  tracePropagationTargets: [...TRACE_HEADER_TARGETS],
  integrations: [
    PATHS_ARE_URLS,
    Sentry.browserTracingIntegration({
      idleTimeout: IDLE_TIMEOUT_MS,
      finalTimeout: FINAL_TIMEOUT_MS,
      childSpanTimeout: CHILD_SPAN_TIMEOUT_MS,
      shouldCreateSpanForRequest: (url) => !isOwnRequest(url),
      // In the streamed lifecycle the SDK would send `Pageload`; the contract names a page by its path.
      beforeStartSpan: (span) => (span.op === 'pageload' ? pageload(span, page) : span),
    }),
    pageChanges(() => window.location.href),
  ],
})

type StartSpan = Parameters<typeof Sentry.startInactiveSpan>[0]

const pageload = (span: StartSpan, page: BrowserPage): StartSpan => ({
  ...span,
  name: page.path,
  attributes: { ...span.attributes, ...(isMissingDocument(performance) && { [NOT_FOUND_ATTRIBUTE]: true }) },
})

function isOwnRequest(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url, window.location.href)) return false
  const target = new URL(url, window.location.href)
  return target.origin === window.location.origin && isOwnPath(target.pathname)
}

let started: Promise<void> = Promise.resolve()
let openTelemetry: Promise<void> = Promise.resolve()

/** Resolves when the SDK has started, or failed to start. Await it before you capture something yourself. */
export const browserReady = (): Promise<void> => started

/** Resolves when `@opentelemetry/api` records spans in this page, or never will. */
export const openTelemetryReady = (): Promise<void> => started.then(() => openTelemetry)

/**
 * When a page fails on the server before its layout is rendered, Next sends a document without settings: then they are
 * fetched, and errors until then are collected.
 */
export function startBrowser(document: Document, fetchLike: typeof fetch): void {
  started = start(document, fetchLike)
}

function start(document: Document, fetchLike: typeof fetch): Promise<void> {
  const page = { path: window.location.pathname, id: newUuid() }
  const given = parseSettings(document.documentElement.getAttribute(SETTINGS_ATTRIBUTE))
  if (given !== null) {
    initBrowser(given, page)
    return Promise.resolve()
  }
  const early = collectErrors()
  return fetchSettings(fetchLike).then((fetched) => {
    if (fetched !== null) initBrowser(fetched, page)
    early.report()
  })
}

/** Returns `null` when the app does not answer; then the tunnel would not answer either. */
async function fetchSettings(fetchLike: typeof fetch): Promise<TelemetrySettings | null> {
  try {
    const response = await fetchLike(SETTINGS_PATH, { cache: 'no-store' })
    return parseSettings(await response.text())
  } catch (error) {
    console.error('Telemetry is off in this page: its settings could not be read.', error)
    return null
  }
}

/** Collects uncaught errors until `report` passes them to the SDK. */
function collectErrors(): { readonly report: () => void } {
  const errors: unknown[] = []
  const onError = (event: ErrorEvent): void => void errors.push(event.error ?? event.message)
  const onRejection = (event: PromiseRejectionEvent): void => void errors.push(event.reason)
  window.addEventListener('error', onError)
  window.addEventListener('unhandledrejection', onRejection)
  return {
    report: () => {
      window.removeEventListener('error', onError)
      window.removeEventListener('unhandledrejection', onRejection)
      for (const error of errors)
        Sentry.captureException(error, { mechanism: { handled: false, type: 'auto.browser.before_init' } })
    },
  }
}

export async function currentTraceId(): Promise<string> {
  await browserReady()
  const span = Sentry.getActiveSpan()
  return span?.spanContext().traceId ?? Sentry.getCurrentScope().getPropagationContext().traceId
}

export interface CapturedFallback {
  readonly eventId: string
  readonly traceId: string
}

/**
 * For a server error, the digest that Next shows ties this event to the server's. The SDK reports an error object once.
 */
export async function captureFallback(error: Error & { readonly digest?: string }): Promise<CapturedFallback> {
  await browserReady()
  const eventId = Sentry.captureException(error, {
    mechanism: { handled: false, type: 'auto.function.nextjs.error_boundary' },
    captureContext: error.digest === undefined ? {} : { tags: { digest: error.digest } },
  })
  return { eventId, traceId: await currentTraceId() }
}
