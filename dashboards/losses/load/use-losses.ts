'use client'

import { useEffect, useRef, useState } from 'react'
import { collectorClient } from '../../../lib/wire/collector-client'
import type { Losses } from '../../../lib/wire/losses'
import { type LiveState, useLive } from '../../live/load/use-live'

const client = collectorClient('/collector', (...args) => fetch(...args))

export interface LossesState extends LiveState {
  /** `null` until they were read; those of another stamp are not shown for this one. */
  readonly losses: Losses | null
}

/** What was made and what became of it, of everybody or of one stamp. Every fact is a reason to look again. */
export function useLosses(stamp: string | null): LossesState {
  const [losses, setLosses] = useState<Losses | null>(null)
  const { readNow, connection, failure } = useLive({
    streamUrl: client.streamUrl,
    read: async (signal) => {
      const read = await client.losses({ ...(stamp !== null && { stamp }), signal })
      if (!signal.aborted) setLosses(read)
    },
    concerns: () => true,
  })
  const asked = useRef(stamp)
  useEffect(() => {
    if (asked.current === stamp) return
    asked.current = stamp
    readNow()
  }, [stamp, readNow])
  return { losses: losses?.stamp === stamp ? losses : null, connection, failure }
}
