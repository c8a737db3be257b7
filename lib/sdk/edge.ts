import * as Sentry from '@sentry/nextjs'
import { tagLab } from './lab'
import { optionsOnServers } from './server-options'
import type { TelemetrySettings } from './settings'
import { learnStamps, stampedTraces } from './stamped-traces'
import type { PostEnvelope } from './transport'

/** Starts the SDK in the edge runtime. It has no disk: envelopes go to the collector over HTTP, or are lost. */
export function initEdge(settings: TelemetrySettings, post: PostEnvelope): void {
  const traces = stampedTraces()
  Sentry.init(optionsOnServers(settings, post, traces.stampOf))
  learnStamps(Sentry, traces)
  tagLab()
}
