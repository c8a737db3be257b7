'use client'

import { useState } from 'react'
import { collectorClient } from '../../../lib/wire/collector-client'
import type { EnvelopeDetail } from '../../../lib/wire/envelope'
import { type LiveState, useLive } from '../../live/load/use-live'

const client = collectorClient('/collector', (...args) => fetch(...args))

export interface EnvelopeState extends LiveState {
  /** `undefined` until it was read once; `null` when there is none of this number (yet). */
  readonly envelope: EnvelopeDetail | null | undefined
}

/** One envelope with its deliveries, as they are made. */
export function useEnvelope(seq: number): EnvelopeState {
  const [envelope, setEnvelope] = useState<EnvelopeDetail | null | undefined>(undefined)
  const live = useLive({
    streamUrl: client.streamUrl,
    read: async (signal) => {
      const read = await client.envelope(seq, signal)
      setEnvelope((before) => read ?? before ?? null)
    },
    // `digested` names the last of its batch, so it may cover this one.
    concerns: (fact) => fact.seq === seq || fact.kind === 'digested' || fact.kind === 'cleared',
  })
  return { ...live, envelope }
}

/** Address of the bytes as they were recorded. */
export const rawUrl = (seq: number): string => client.rawUrl(seq)
