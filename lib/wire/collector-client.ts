import { type CollectorClient, queryClient } from './query-client'
import * as shapes from './shapes'

export { CollectorError } from './errors'
export type { CollectorClient }

/** A client of the collector that parses every answer. @throws CollectorError on every refusal, and without an answer. */
export const collectorClient = (base: string, fetchLike: typeof fetch, headers: HeadersInit = {}): CollectorClient =>
  queryClient(base, fetchLike, headers, shapes)
