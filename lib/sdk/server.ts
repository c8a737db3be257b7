import * as Sentry from '@sentry/nextjs'
import { optionsOnServers } from './edge'
import { tagLab } from './lab'
import { isUntraced } from './paths'
import type { SdkSettings } from './settings'
import { learnStamps, stampedTraces } from './stamped-traces'
import type { PostEnvelope } from './transport'

/**
 * Next creates these spans itself. With sessions on, each poll of a board would count as one and cause an envelope a
 * minute. The integration reads `sessions` at run time, although its type does not list it.
 */
const HTTP = { disableIncomingRequestSpans: true, sessions: false }

/** `ProcessSession` reports the server process as crashed when a single request fails. */
const REPLACED = new Set(['Http', 'NodeFetch', 'ProcessSession'])

/**
 * Suppressing the spans of requests to the collector is not enough: in the static lifecycle the SDK counts each as a
 * span without a parent and reports the count, and that post is counted next: one envelope a minute (measured).
 */
function isToCollector(dsn: string): (url: string) => boolean {
  const collector = `${new URL(dsn).origin}/`
  return (url) => url.startsWith(collector)
}

/**
 * The number of events that the client prepares at once; it drops more of them as `queue_overflow`. Next's own start
 * ends about 40 transactions at once. The transport limits open sends, with a buffer of its own.
 */
const PROCESSED_AT_ONCE = 200

/** @param post the tunnel itself, called without HTTP: a server error survives the collector's death. */
export function initServer(settings: SdkSettings, post: PostEnvelope): void {
  const traces = stampedTraces()
  Sentry.init({
    ...optionsOnServers(settings, post, traces.stampOf),
    transportOptions: { bufferSize: PROCESSED_AT_ONCE },
    integrations: (defaults) => [
      ...defaults.filter((one) => !REPLACED.has(one.name)),
      Sentry.httpIntegration(HTTP),
      Sentry.nativeNodeFetchIntegration({ ignoreOutgoingRequests: isToCollector(settings.dsn) }),
    ],
  })
  suppressRequests(isUntraced)
  learnStamps(Sentry, traces)
  tagLab()
  removeQueryFromTargets()
}

/** Next writes the address as received, and the SDK filters secrets only in `url.query` and `url.full`. */
function removeQueryFromTargets(): void {
  Sentry.getClient()?.on('spanStart', (span) => {
    const target = Sentry.spanToJSON(span).attributes['http.target']
    if (typeof target === 'string' && target.includes('?'))
      span.setAttribute('http.target', target.replace(/\?.*$/, ''))
  })
}

/**
 * Suppresses tracing for requests that the HTTP server receives on some paths. A sample rate of 0 does not suffice: the
 * SDK counts each span that it leaves out, reports the count, and posts the report through the tunnel. Call it after
 * `Sentry.init`. Errors during such a request are still reported.
 * @param isUntraced receives the path without its query
 */
export function suppressRequests(isUntraced: (path: string) => boolean): void {
  // The SDK exports no function that suppresses tracing for a scope, so a suppressed scope provides the mark.
  const suppressed = Sentry.suppressTracing(() => Sentry.getCurrentScope().getScopeData().sdkProcessingMetadata)
  Sentry.getClient()?.on('httpServerRequest', (_request, _response, { url = '' }) => {
    // The SDK has forked the scope for this request.
    if (isUntraced(pathOf(url))) Sentry.getCurrentScope().setSDKProcessingMetadata(suppressed)
  })
}

/** An address with a malformed Host header has no parsable origin. */
const pathOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).pathname : url.replace(/^https?:\/\/[^/]*/, '').replace(/[?#].*$/, '')
