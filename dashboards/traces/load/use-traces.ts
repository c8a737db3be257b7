'use client'

import { collectorClient } from '../../../lib/wire/collector-client'
import type { TraceSummary } from '../../../lib/wire/trace'
import { type LiveListState, useLiveList } from '../../live/load/use-live-list'

const client = collectorClient('/collector', (...args) => fetch(...args))

/** The traces recorded here, newest first, as they come. */
export function useTraces(mustHold: () => boolean): LiveListState<TraceSummary> {
  return useLiveList<TraceSummary>({
    streamUrl: client.streamUrl,
    readPage: async (options) => {
      const page = await client.traces(options)
      return { rows: page.traces, next: page.next }
    },
    keyOf: (trace) => trace.traceId,
    orderOf: (trace) => trace.journal,
    // A received envelope is no trace yet; a refused one never is.
    concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
    mustHold,
  })
}
