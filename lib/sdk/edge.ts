import * as Sentry from '@sentry/nextjs'
import { isMissingPage } from '../contract/missing-page'
import { TRACE_HEADER_TARGETS } from '../contract/values'
import { tagLab } from './lab'
import { filteringTransport, withoutOwnSegments } from './outgoing-filter'
import { commonOptions, type SdkSettings } from './settings'
import { learnStamps, stampedTraces } from './stamped-traces'
import { type Envelope, type PostEnvelope, postingTransport, type TransportOptions } from './transport'

/** Starts the SDK in the edge runtime. It has no disk: envelopes go to the collector over HTTP, or are lost. */
export function initEdge(settings: SdkSettings, post: PostEnvelope): void {
  const traces = stampedTraces()
  Sentry.init(optionsOnServers(settings, post, traces.stampOf))
  learnStamps(Sentry, traces)
  tagLab()
}

/** The options of the SDK in the Node and the edge runtime. @param stampOf returns the stamp of an envelope */
export const optionsOnServers = (
  settings: SdkSettings,
  post: PostEnvelope,
  stampOf: (envelope: Envelope) => string | null,
) => ({
  ...commonOptions(settings),
  // Nothing is posted here: with a tunnel the SDK writes the DSN into each envelope, which the collector needs.
  tunnel: settings.dsn,
  transport: (options: TransportOptions) =>
    withoutOwnSegments(
      filteringTransport(postingTransport(options, post, stampOf), isMissingPage, options.recordDroppedEvent),
    ),
  tracesSampleRate: 1,
  tracePropagationTargets: [...TRACE_HEADER_TARGETS],
})
