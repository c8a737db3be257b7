'use client'

import { collectorClient } from '../../../lib/wire/collector-client'
import type { EnvelopeSummary } from '../../../lib/wire/envelope'
import { type LiveListState, useLiveList } from '../../live/load/use-live-list'

const client = collectorClient('/collector', (...args) => fetch(...args))

/** The envelopes received here, newest first, as they come and as their fate is decided. */
export function useEnvelopes(mustHold: () => boolean): LiveListState<EnvelopeSummary> {
  return useLiveList<EnvelopeSummary>({
    streamUrl: client.streamUrl,
    readPage: async (options) => {
      const page = await client.envelopes(options)
      return { rows: page.envelopes, next: page.next }
    },
    keyOf: (envelope) => String(envelope.seq),
    orderOf: (envelope) => envelope.journal,
    concerns: (fact) => fact.kind !== 'refused',
    mustHold,
  })
}
