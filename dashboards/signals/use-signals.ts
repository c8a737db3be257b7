'use client'

import type { SignalKind } from '../../lib/protocol/items/signal'
import type { SignalCounts, SignalRow } from '../../lib/wire/signal'
import { client } from '../ui/client'
import { filterFor } from '../ui/filter-address'
import type { Filtering } from '../ui/use-filter'
import { type LiveListState, useLiveList } from '../ui/use-live-list'

interface SignalsReader {
  readonly kind: SignalKind
  readonly filtering: Filtering
  readonly onCounts: (counts: SignalCounts['counts']) => void
  readonly mustHold: () => boolean
}

/** The signals of one kind that a filter lets through, newest first, as they come; with each look the counts of all kinds. */
export function useSignals({ kind, filtering, onCounts, mustHold }: SignalsReader): LiveListState<SignalRow> {
  return useLiveList<SignalRow>({
    filtering,
    readPage: async (wanted) => {
      const [page, counted] = await Promise.all([
        client.signals(kind, { ...wanted, filter: filterFor('signals', wanted.filter) }),
        wanted.cursor === null ? client.signalCounts(wanted.signal) : null,
      ])
      if (counted !== null) onCounts(counted.counts)
      return { rows: page.signals, next: page.next, head: page.journal }
    },
    keyOf: (signal) => signal.key,
    orderOf: (signal) => signal.journal,
    // A received envelope has no rows yet; a refused one never has.
    concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
    mustHold,
  })
}
