import * as Sentry from '@sentry/nextjs'
import { initBrowser } from './browser'
import { parseSettings, SETTINGS_ATTRIBUTE, SETTINGS_PATH, type TelemetrySettings } from './settings'

let started: Promise<void> = Promise.resolve()

/** Resolves when the SDK has been started, or could not be: what a page captures itself waits for it. */
export const browserReady = (): Promise<void> => started

/**
 * Starts the SDK with the settings of the document. Next sends a bare document when a page fails on the server before
 * its layout is written; such a document fetches the settings, and what happens meanwhile waits.
 */
export function startBrowser(document: Document, fetchLike: typeof fetch): void {
  started = start(document, fetchLike)
}

function start(document: Document, fetchLike: typeof fetch): Promise<void> {
  const page = { path: window.location.pathname, id: crypto.randomUUID() }
  const given = parseSettings(document.documentElement.getAttribute(SETTINGS_ATTRIBUTE))
  if (given !== null) {
    initBrowser(given, page)
    return Promise.resolve()
  }
  const waiting = catchErrors()
  return fetchSettings(fetchLike).then((fetched) => {
    if (fetched !== null) initBrowser(fetched, page)
    waiting.report()
  })
}

/** `null` when the app does not answer: then there is nobody to send to either. */
async function fetchSettings(fetchLike: typeof fetch): Promise<TelemetrySettings | null> {
  try {
    const response = await fetchLike(SETTINGS_PATH, { cache: 'no-store' })
    return parseSettings(await response.text())
  } catch (error) {
    console.error('Telemetry is off in this page: its settings cannot be read.', error)
    return null
  }
}

/** Holds uncaught errors until there is an SDK to report them. */
function catchErrors(): { readonly report: () => void } {
  const held: unknown[] = []
  const onError = (event: ErrorEvent): void => void held.push(event.error ?? event.message)
  const onRejection = (event: PromiseRejectionEvent): void => void held.push(event.reason)
  window.addEventListener('error', onError)
  window.addEventListener('unhandledrejection', onRejection)
  return {
    report: () => {
      window.removeEventListener('error', onError)
      window.removeEventListener('unhandledrejection', onRejection)
      for (const error of held)
        Sentry.captureException(error, { mechanism: { handled: false, type: 'auto.browser.before_init' } })
    },
  }
}
