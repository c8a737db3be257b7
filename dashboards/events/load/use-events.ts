'use client'

import { collectorClient } from '../../../lib/wire/collector-client'
import type { EventSummary } from '../../../lib/wire/event'
import { type LiveListState, useLiveList } from '../../live/load/use-live-list'

const client = collectorClient('/collector', (...args) => fetch(...args))

/** The error events recorded here, newest first, as they come and as their fate is decided. */
export function useEvents(mustHold: () => boolean): LiveListState<EventSummary> {
  return useLiveList<EventSummary>({
    streamUrl: client.streamUrl,
    readPage: async (options) => {
      const page = await client.events(options)
      return { rows: page.events, next: page.next }
    },
    keyOf: (event) => event.eventId,
    orderOf: (event) => event.journal,
    // A received envelope is no event yet; a refused one never is.
    concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
    mustHold,
  })
}
