import * as Sentry from '@sentry/browser'

/** The functions that a test calls in the page. */
export interface PageUnderTest {
  readonly fail: (message: string) => void
  readonly crumb: (message: string) => void
  readonly log: (message: string) => void
  /** Sends what is gathered now, and not when five seconds are over. */
  readonly flush: () => Promise<boolean>
  /** Captures what a hook of the page takes back: it is in nothing but a client report. */
  readonly discard: () => void
  /** @returns the answer of the other origin */
  readonly call: (url: string) => Promise<string>
}

declare global {
  interface Window {
    readonly underTest: PageUnderTest
  }
}

const DISCARDED = 'taken back by the page'

/** Sends, and ignores limits in the answer. */
const deafTransport: typeof Sentry.makeFetchTransport = (options) =>
  Sentry.createTransport(options, async ({ body }) => {
    await fetch(options.url, { method: 'POST', headers: options.headers ?? {}, body: body as BodyInit })
    return { statusCode: 200 }
  })

const nativeFetch = fetch.bind(window)

/** Begins its posts late, as on a slow machine: a page that is closed at once has posted nothing. */
const slowTransport: typeof Sentry.makeFetchTransport = (options) =>
  Sentry.makeFetchTransport(options, async (url, init) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    return nativeFetch(url, init)
  })

Sentry.init({
  dsn: document.documentElement.dataset.dsn ?? '',
  // A page below /misrouted posts to an address that nobody serves, one below /direct to the collector.
  ...(!location.pathname.startsWith('/direct') && {
    tunnel: location.pathname.startsWith('/misrouted') ? '/tunel' : '/tunnel',
  }),
  environment: 'production',
  release: 'page-under-test@1.0.0',
  traceLifecycle: 'static',
  tracesSampleRate: 1,
  ...(location.pathname.startsWith('/deaf') && { transport: deafTransport }),
  ...(location.pathname.startsWith('/slow') && { transport: slowTransport }),
  // A page below /nameless does not say which it is.
  ...(!location.pathname.startsWith('/nameless') && {
    transportOptions: { headers: { 'x-waystation-page': crypto.randomUUID() } },
  }),
  tracePropagationTargets: [/^\/(?!\/)/],
  beforeSend: (event) => (event.message === DISCARDED ? null : event),
  integrations: [Sentry.browserTracingIntegration({ idleTimeout: location.pathname === '/idle' ? 1_000 : 100 })],
})

const underTest: PageUnderTest = {
  fail: (message) => {
    Sentry.captureException(new Error(message))
  },
  crumb: (message) => Sentry.addBreadcrumb({ category: 'test', message }),
  log: (message) => Sentry.logger.info(message),
  flush: async () => Sentry.flush(),
  discard: () => {
    Sentry.captureMessage(DISCARDED)
  },
  call: async (url) => (await fetch(url)).text(),
}
Object.assign(window, { underTest })
