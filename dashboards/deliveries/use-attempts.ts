'use client'

import type { Delivery } from '../../lib/wire/delivery'
import { client } from '../ui/client'
import { filterFor } from '../ui/filter-address'
import type { Filtering } from '../ui/use-filter'
import { type LiveListState, useLiveList } from '../ui/use-live-list'

/** Attempts to deliver that a filter lets through, newest first, as they are made. */
export function useAttempts(filtering: Filtering, mustHold: () => boolean): LiveListState<Delivery> {
  return useLiveList<Delivery>({
    filtering,
    readPage: async (wanted) => {
      const page = await client.deliveries({ ...wanted, filter: filterFor('deliveries', wanted.filter) })
      return { rows: page.deliveries, next: page.next, head: page.journal }
    },
    keyOf: (delivery) => String(delivery.id),
    orderOf: (delivery) => delivery.journal,
    concerns: ({ kind }) => kind === 'delivered' || kind === 'decided' || kind === 'evicted' || kind === 'cleared',
    mustHold,
  })
}
