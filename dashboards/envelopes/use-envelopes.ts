'use client'

import type { EnvelopeSummary } from '../../lib/wire/envelope'
import { client } from '../ui/client'
import { filterFor } from '../ui/filter-address'
import type { Filtering } from '../ui/use-filter'
import { type LiveListState, useLiveList } from '../ui/use-live-list'

/** The envelopes received here that a filter lets through, newest first, as they come and as their status is decided. */
export function useEnvelopes(filtering: Filtering, mustHold: () => boolean): LiveListState<EnvelopeSummary> {
  return useLiveList<EnvelopeSummary>({
    filtering,
    readPage: async (wanted) => {
      const page = await client.envelopes({ ...wanted, filter: filterFor('envelopes', wanted.filter) })
      return { rows: page.envelopes, next: page.next, head: page.journal }
    },
    keyOf: (envelope) => String(envelope.seq),
    orderOf: (envelope) => envelope.journal,
    concerns: (fact) => fact.kind !== 'refused',
    mustHold,
  })
}
