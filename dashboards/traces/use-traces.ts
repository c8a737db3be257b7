'use client'

import type { TraceSummary } from '../../lib/wire/trace'
import { client } from '../ui/client'
import { filterFor } from '../ui/filter-address'
import type { Filtering } from '../ui/use-filter'
import { type LiveListState, useLiveList } from '../ui/use-live-list'

/** The traces recorded here that a filter lets through, newest first, as they come. */
export function useTraces(filtering: Filtering, mustHold: () => boolean): LiveListState<TraceSummary> {
  return useLiveList<TraceSummary>({
    filtering,
    readPage: async (wanted) => {
      const page = await client.traces({ ...wanted, filter: filterFor('traces', wanted.filter) })
      return { rows: page.traces, next: page.next, head: page.journal }
    },
    keyOf: (trace) => trace.traceId,
    orderOf: (trace) => trace.journal,
    // A received envelope is no trace yet; a refused one never is.
    concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
    mustHold,
  })
}
