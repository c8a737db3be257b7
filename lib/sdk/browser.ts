import type { CapturedFallback, HeldError, Navigation, PageSdk } from './browser-sdk'
import { loaded } from './loaded'
import { SETTINGS_ATTRIBUTE } from './settings-attribute'
import { newUuid } from './uuid'

export type { CapturedFallback } from './browser-sdk'

/** Errors that are held until the SDK runs; later ones of a page that goes wrong are much the same. */
const HELD_ERRORS = 30

let sdk: PageSdk | null = null
let started: Promise<PageSdk | null> = Promise.resolve(null)
/** The last navigation before the SDK runs. */
let early: Navigation | null = null

/**
 * Starts telemetry in a page. The SDK is larger than many pages, so it loads after the first paint; errors until then are
 * held, and the page load starts when the document was requested all the same.
 */
export function startBrowser(page: Window, fetchLike: typeof fetch): void {
  started = start(page, fetchLike)
}

async function start(page: Window, fetchLike: typeof fetch): Promise<PageSdk | null> {
  const { document, location } = page
  // The SDK sets the same limit. Browsers record 10 frames by default, and errors with fewer frames group apart.
  Error.stackTraceLimit = 50
  const opened = { path: location.pathname, id: newUuid() }
  // Read now: a page that fails in React loses it.
  const settings = document.documentElement.getAttribute(SETTINGS_ATTRIBUTE)
  const errors = holdErrors(page)
  try {
    await painted(page)
    const { startSdk } = await import('./browser-sdk')
    await nextTask(page)
    sdk = await startSdk(opened, settings, fetchLike, () => ({ errors: errors.release(), navigation: early }))
  } catch (error) {
    console.error('Telemetry is off in this page: its script or its settings could not be loaded.', error)
  }
  errors.release()
  return sdk
}

/** Holds uncaught errors until `release` passes them on. */
export function holdErrors(page: Pick<Window, 'addEventListener' | 'removeEventListener'>): {
  readonly release: () => readonly HeldError[]
} {
  const errors: HeldError[] = []
  const hold = (event: HeldError): void => void (errors.length < HELD_ERRORS && errors.push(event))
  page.addEventListener('error', hold)
  page.addEventListener('unhandledrejection', hold)
  return {
    release: () => {
      page.removeEventListener('error', hold)
      page.removeEventListener('unhandledrejection', hold)
      return errors.splice(0)
    },
  }
}

/** Resolves after the first paint; for a page that does not paint, such as one in the background, when it is complete. */
const painted = (page: Window): Promise<void> =>
  new Promise((resolve) => {
    if ('PerformanceObserver' in page)
      new PerformanceObserver((_, observer) => {
        observer.disconnect()
        resolve()
      }).observe({ type: 'paint', buffered: true })
    void loaded(page).then(resolve)
  })

/** Lets the page answer a click before the SDK starts, which takes as long as its script took. */
const nextTask = (page: Window): Promise<void> => new Promise((resolve) => void page.setTimeout(resolve, 0))

/** Next calls it when a navigation starts. The SDK starts the last one of those before it late, with its own time. */
export const onRouterTransitionStart = (href: string, type: string): void => {
  if (sdk === null) early = { href, type, startedAt: (performance.timeOrigin + performance.now()) / 1000 }
  else sdk.startNavigation(href, type)
}

/** Resolves when the SDK runs, or never will. Await it before you capture something, or make a request to be traced. */
export const browserReady = (): Promise<void> => started.then(() => undefined)

/** Resolves when `@opentelemetry/api` records spans in this page, or never will. */
export const openTelemetryReady = (): Promise<void> => started.then((running) => running?.openTelemetryReady())

/** The trace of this page load or navigation; `null` in a page without telemetry. */
export const currentTraceId = (): Promise<string | null> => started.then((running) => running?.traceId() ?? null)

/** Marks the current page load or navigation as a missing page, which is not sent. */
export function markNotFound(): Promise<void> {
  const current = early
  return started.then((running) => {
    // A visitor may have left the missing page before the SDK runs, which then traces the next page.
    if (early === current) running?.markNotFound()
  })
}

/** Reports the error of a fallback page; `null` in a page without telemetry. */
export const captureFallback = (error: Error & { readonly digest?: string }): Promise<CapturedFallback | null> =>
  started.then((running) => running?.captureFallback(error) ?? null)
