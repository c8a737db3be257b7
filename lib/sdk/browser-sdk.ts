import * as Sentry from '@sentry/nextjs'
import { isMissingPage } from '../contract/missing-page'
import {
  CHILD_SPAN_TIMEOUT_MS,
  EVENT_BUFFER_ITEMS,
  FINAL_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  LAB_TAG,
  TRACE_HEADER_TARGETS,
} from '../contract/values'
import { allowsItem } from '../protocol/consent'
import { LAB_HEADER, PAGE_HEADER } from '../protocol/request'
import { consentingTransport, type PageConsent, pageConsent } from './consent'
import { loaded } from './loaded'
import { offlineTransport } from './offline'
import { filteringTransport, markNotFound } from './outgoing-filter'
import { isBoard, isLab, isOwnPath } from './paths'
import { commonOptions, PAGE_SAMPLE_RATE, parseSettings, SETTINGS_PATH, type TelemetrySettings } from './settings'
import { type StartNavigation, tracePages } from './traced-pages'
import type { Integration } from './transport'
import { newUuid } from './uuid'

export interface BrowserPage {
  readonly path: string
  /** Random, one per page load. */
  readonly id: string
}

/** Starts the SDK in a page. Boards report errors only: without tracing, navigations and sessions. */
function initBrowser(settings: TelemetrySettings, page: BrowserPage, consent: PageConsent): StartNavigation {
  const lab = isLab(page.path)
  const client = Sentry.init({
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
    ...(isBoard(page.path) ? withoutTracing : withTracing),
  })
  if (lab) {
    Sentry.getGlobalScope().setTag(LAB_TAG, 'yes')
    Sentry.getGlobalScope().setAttribute(LAB_TAG, true)
    openTelemetry = loadOpenTelemetry(settings, consent)
  }
  return client === undefined || isBoard(page.path) ? () => undefined : tracePages(client, window, page.path)
}

/** The lab alone uses `@opentelemetry/api`, so other pages do not download the SDK. */
async function loadOpenTelemetry(settings: TelemetrySettings, consent: PageConsent): Promise<void> {
  try {
    await loaded(window)
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

type BrowserOptions = Sentry.BrowserOptions
type FetchTransportOptions = Parameters<typeof Sentry.makeFetchTransport>[0]

/** Reading language and time zone takes a browser 30 ms of its main thread, and both help to recognise a visitor. */
const UNUSED = 'CultureContext'

const without =
  (...names: readonly string[]) =>
  (integrations: Integration[]): Integration[] =>
    integrations.filter(({ name }) => !names.includes(name))

const withoutTracing: BrowserOptions = { integrations: without(UNUSED, 'BrowserTracing', 'BrowserSession') }

const withTracing: BrowserOptions = {
  tracesSampleRate: PAGE_SAMPLE_RATE,
  tracePropagationTargets: [...TRACE_HEADER_TARGETS],
  integrations: (defaults) => [
    ...without(UNUSED, 'BrowserTracing')(defaults),
    Sentry.browserTracingIntegration({
      // `tracePages` starts both.
      instrumentPageLoad: false,
      instrumentNavigation: false,
      idleTimeout: IDLE_TIMEOUT_MS,
      finalTimeout: FINAL_TIMEOUT_MS,
      childSpanTimeout: CHILD_SPAN_TIMEOUT_MS,
      shouldCreateSpanForRequest: (url) => !isOwnRequest(url),
    }),
  ],
}

function isOwnRequest(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url, window.location.href)) return false
  const target = new URL(url, window.location.href)
  return target.origin === window.location.origin && isOwnPath(target.pathname)
}

/** The SDK of a page, when it runs. */
export interface PageSdk {
  /** `null` without consent. For a server error, the digest that Next shows ties this event to the server's. The SDK reports an error object once. */
  readonly captureFallback: (error: Error & { readonly digest?: string }) => CapturedFallback | null
  readonly traceId: () => string
  readonly markNotFound: () => void
  readonly startNavigation: StartNavigation
  /** Resolves when `@opentelemetry/api` records spans in this page, or never will. */
  readonly openTelemetryReady: () => Promise<void>
}

export type HeldError = ErrorEvent | PromiseRejectionEvent

/** A navigation that Next started, and when, in epoch seconds. */
export interface Navigation {
  readonly href: string
  readonly type: string
  readonly startedAt: number
}

export interface CapturedFallback {
  readonly eventId: string
  readonly traceId: string
}

/**
 * Starts the SDK. When a page fails on the server before its layout is rendered, Next sends a document without settings:
 * then they are fetched.
 * @param given the settings in the document
 * @param early returns the errors until now, and the last navigation
 * @returns `null` when the answer contains no settings
 * @throws when the app does not answer; then the tunnel would not answer either
 */
export async function startSdk(
  page: BrowserPage,
  given: string | null,
  fetchLike: typeof fetch,
  early: () => { readonly errors: readonly HeldError[]; readonly navigation: Navigation | null },
): Promise<PageSdk | null> {
  const settings = parseSettings(given) ?? (await fetched(fetchLike))
  if (settings === null) return null
  const consent = pageConsent(window, settings.consent)
  const startNavigation = initBrowser(settings, page, consent)
  const { errors, navigation } = early()
  for (const error of errors) report(error)
  if (navigation !== null) startNavigation(navigation.href, navigation.type, navigation.startedAt)
  return {
    captureFallback: (error) => (allowsItem(consent.current(), 'event') ? captureFallback(error) : null),
    traceId,
    markNotFound,
    startNavigation,
    openTelemetryReady: () => openTelemetry,
  }
}

/** Passes an error to the handlers that the SDK has installed, so it gets the position and type that later ones get. */
function report(event: HeldError): void {
  if ('reason' in event) window.onunhandledrejection?.(event)
  else window.onerror?.(event.message, event.filename, event.lineno, event.colno, event.error)
}

let openTelemetry: Promise<void> = Promise.resolve()

const fetched = async (fetchLike: typeof fetch): Promise<TelemetrySettings | null> =>
  parseSettings(await (await fetchLike(SETTINGS_PATH, { cache: 'no-store' })).text())

const traceId = (): string =>
  Sentry.getActiveSpan()?.spanContext().traceId ?? Sentry.getCurrentScope().getPropagationContext().traceId

function captureFallback(error: Error & { readonly digest?: string }): CapturedFallback {
  const eventId = Sentry.captureException(error, {
    mechanism: { handled: false, type: 'auto.function.nextjs.error_boundary' },
    captureContext: error.digest === undefined ? {} : { tags: { digest: error.digest } },
  })
  return { eventId, traceId: traceId() }
}
