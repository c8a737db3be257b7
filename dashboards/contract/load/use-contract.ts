'use client'

import { useEffect, useRef, useState } from 'react'
import { collectorClient } from '../../../lib/wire/collector-client'
import type { Contract } from '../../../lib/wire/contract'
import type { JournalFact } from '../../../lib/wire/journal'
import { type LiveState, useLive } from '../../live/load/use-live'

const client = collectorClient('/collector', (...args) => fetch(...args))

/** Nothing else changes what is on record, or what a page was told. */
const CONCERNING: ReadonlySet<JournalFact['kind']> = new Set(['received', 'evicted', 'cleared', 'changed'])
/** That a page kept to a limit until it ended makes no fact. */
const EVERY_MS = 15_000

export interface ContractState extends LiveState {
  /** `null` until it was judged; that of another stamp is not shown for this one. */
  readonly contract: Contract | null
}

/** The runtime contract with its verdicts on what is recorded, of everybody or of one stamp. */
export function useContract(stamp: string | null): ContractState {
  const [contract, setContract] = useState<Contract | null>(null)
  const { readNow, connection, failure } = useLive({
    streamUrl: client.streamUrl,
    read: async (signal) => {
      const read = await client.contract({ ...(stamp !== null && { stamp }), signal })
      if (!signal.aborted) setContract(read)
    },
    concerns: ({ kind }) => CONCERNING.has(kind),
    everyMs: EVERY_MS,
  })
  const asked = useRef(stamp)
  useEffect(() => {
    if (asked.current === stamp) return
    asked.current = stamp
    readNow()
  }, [stamp, readNow])
  return { contract: contract?.stamp === stamp ? contract : null, connection, failure }
}
