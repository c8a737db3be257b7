'use client'

import type { EventSummary } from '../../lib/wire/event'
import { client } from '../ui/client'
import { filterFor } from '../ui/filter-address'
import type { Filtering } from '../ui/use-filter'
import { type LiveListState, useLiveList } from '../ui/use-live-list'

/** The error events recorded here that a filter lets through, newest first, as they come and as their status is decided. */
export function useEvents(filtering: Filtering, mustHold: () => boolean): LiveListState<EventSummary> {
  return useLiveList<EventSummary>({
    filtering,
    readPage: async (wanted) => {
      const page = await client.events({ ...wanted, filter: filterFor('events', wanted.filter) })
      return { rows: page.events, next: page.next, head: page.journal }
    },
    keyOf: (event) => event.eventId,
    orderOf: (event) => event.journal,
    // A received envelope is no event yet; a refused one never is.
    concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
    mustHold,
  })
}
