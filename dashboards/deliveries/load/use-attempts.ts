'use client'

import type { Delivery } from '../../../lib/wire/delivery'
import { filterFor } from '../../filter/arrange/filter-of-list'
import type { Filtering } from '../../filter/url/use-filter'
import { type LiveListState, useLiveList } from '../../live/load/use-live-list'
import { client } from '../../shared/client'

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
