import * as Sentry from '@sentry/nextjs'
import { isMissingPage } from '../contract/missing-page'
import { BREADCRUMBS, TRACE_HEADER_TARGETS } from '../contract/values'
import { tagLab } from './lab'
import { filteringTransport, withoutOwnSegments } from './outgoing-filter'
import { DATA_COLLECTION, type TelemetrySettings } from './settings'
import { learnStamps, stampedTraces } from './stamped-traces'
import { type PostEnvelope, postingTransport, type TransportOptions } from './transport'

/** Starts the SDK in the edge runtime. It has no disk: envelopes go to the collector over HTTP, or are lost. */
export function initEdge(settings: TelemetrySettings, post: PostEnvelope): void {
  const traces = stampedTraces()
  Sentry.init({
    dsn: settings.dsn,
    tunnel: settings.dsn,
    environment: settings.environment,
    ...(settings.release !== null && { release: settings.release }),
    traceLifecycle: settings.lifecycle,
    maxBreadcrumbs: BREADCRUMBS,
    dataCollection: DATA_COLLECTION,
    transport: (options: TransportOptions) =>
      withoutOwnSegments(
        filteringTransport(postingTransport(options, post, traces.stampOf), isMissingPage, options.recordDroppedEvent),
      ),
    tracesSampleRate: 1,
    tracePropagationTargets: [...TRACE_HEADER_TARGETS],
  })
  learnStamps(Sentry, traces)
  tagLab()
}
