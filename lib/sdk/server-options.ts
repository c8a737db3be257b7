import { isMissingPage } from '../contract/missing-page'
import { TRACE_HEADER_TARGETS } from '../contract/values'
import { filteringTransport, withoutOwnSegments } from './outgoing-filter'
import { commonOptions, type TelemetrySettings } from './settings'
import { type Envelope, type PostEnvelope, postingTransport, type TransportOptions } from './transport'

/** The options of the SDK in the Node and the edge runtime. @param stampOf returns the stamp of an envelope */
export const optionsOnServers = (
  settings: TelemetrySettings,
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
