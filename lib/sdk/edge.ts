import * as Sentry from '@sentry/nextjs'
import { BREADCRUMBS, EVENT_BUFFER_ITEMS, TRACE_HEADER_TARGETS } from '../contract/values'
import { DATA_COLLECTION } from './collection'
import { filteringTransport } from './filtering-transport'
import { tagLab } from './lab-server'
import { isMissingPage } from './leave-out'
import { type PostEnvelope, postingTransport } from './posting-transport'
import { sampleRate } from './sampling'
import type { TransportOptions } from './sdk'
import { learnStamps } from './server-stamp'
import type { TelemetrySettings } from './settings'
import { stampedTraces } from './stamped-traces'

/** Starts the SDK in the edge runtime, which has no disk: its envelopes go to the collector over HTTP or are lost. */
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
    transportOptions: { bufferSize: EVENT_BUFFER_ITEMS },
    transport: (options: TransportOptions) =>
      filteringTransport(postingTransport(options, post, traces.stampOf), isMissingPage, options.recordDroppedEvent),
    tracesSampler: sampleRate,
    tracePropagationTargets: [...TRACE_HEADER_TARGETS],
  })
  learnStamps(Sentry, traces)
  tagLab()
}
