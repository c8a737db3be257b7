import * as Sentry from '@sentry/nextjs'
import { BREADCRUMBS, EVENT_BUFFER_ITEMS, TRACE_HEADER_TARGETS } from '../contract/values'
import { bareTargets } from './bare-target'
import { DATA_COLLECTION } from './collection'
import { filteringTransport } from './filtering-transport'
import { tagLab } from './lab-server'
import { isMissingPage } from './leave-out'
import { withoutOwnTraffic } from './own-traffic'
import { type PostEnvelope, postingTransport } from './posting-transport'
import { sampleRate } from './sampling'
import type { TransportOptions } from './sdk'
import { learnStamps } from './server-stamp'
import type { TelemetrySettings } from './settings'
import { stampedTraces } from './stamped-traces'

/**
 * Next makes the spans of incoming requests itself. Each poll of a board would count as a session, and the count would
 * be sent each minute. `sessions` is read at run time though the integration's type does not name it.
 */
const HTTP = { disableIncomingRequestSpans: true, sessions: false }

/** `ProcessSession` reports the server process as crashed when one request failed. */
const REPLACED = new Set(['Http', 'NodeFetch', 'ProcessSession'])

/**
 * Requests to the collector are the line's own. Suppressed is not enough: static, the SDK counts each as a span without
 * a parent, reports the count, and the post of the report is the next to be counted, once a minute for ever (measured).
 */
function isToCollector(dsn: string): (url: string) => boolean {
  const collector = `${new URL(dsn).origin}/`
  return (url) => url.startsWith(collector)
}

/**
 * Starts the SDK in the Node server.
 * @param post what takes an envelope off the SDK's hands: the tunnel itself, without HTTP in between, so that a server
 * error survives the collector's death as a browser's does.
 */
export function initServer(settings: TelemetrySettings, post: PostEnvelope): void {
  const traces = stampedTraces()
  Sentry.init({
    dsn: settings.dsn,
    // Only named, never posted to: with a tunnel the SDK writes the DSN into each envelope, which admission reads.
    tunnel: settings.dsn,
    environment: settings.environment,
    ...(settings.release !== null && { release: settings.release }),
    traceLifecycle: settings.lifecycle,
    maxBreadcrumbs: BREADCRUMBS,
    dataCollection: DATA_COLLECTION,
    transportOptions: { bufferSize: EVENT_BUFFER_ITEMS },
    transport: (options: TransportOptions) =>
      withoutOwnTraffic(
        filteringTransport(postingTransport(options, post, traces.stampOf), isMissingPage, options.recordDroppedEvent),
      ),
    tracesSampler: sampleRate,
    tracePropagationTargets: [...TRACE_HEADER_TARGETS],
    integrations: (defaults) => [
      ...defaults.filter((one) => !REPLACED.has(one.name)),
      Sentry.httpIntegration(HTTP),
      Sentry.nativeNodeFetchIntegration({ ignoreOutgoingRequests: isToCollector(settings.dsn) }),
    ],
  })
  learnStamps(Sentry, traces)
  tagLab()
  bareTargets()
}
