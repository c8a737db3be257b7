'use client'

import type { SignalKind } from '../../../lib/protocol/signal-kind'
import { collectorClient } from '../../../lib/wire/collector-client'
import type { SignalCounts, SignalRow } from '../../../lib/wire/signal'
import { type LiveListState, useLiveList } from '../../live/load/use-live-list'

const client = collectorClient('/collector', (...args) => fetch(...args))

interface SignalsReader {
  readonly kind: SignalKind
  readonly onCounts: (counts: SignalCounts['counts']) => void
  readonly mustHold: () => boolean
}

/** The signals of one kind, newest first, as they come; with each look the counts of all kinds. */
export function useSignals({ kind, onCounts, mustHold }: SignalsReader): LiveListState<SignalRow> {
  return useLiveList<SignalRow>({
    streamUrl: client.streamUrl,
    readPage: async (options) => {
      const [page, counted] = await Promise.all([
        client.signals(kind, options),
        options.cursor === null ? client.signalCounts(options.signal) : null,
      ])
      if (counted !== null) onCounts(counted.counts)
      return { rows: page.signals, next: page.next }
    },
    keyOf: (signal) => signal.key,
    orderOf: (signal) => signal.journal,
    // A received envelope has no rows yet; a refused one never has.
    concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
    mustHold,
  })
}
