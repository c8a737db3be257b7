'use client'

import { useState } from 'react'
import { collectorClient } from '../../../lib/wire/collector-client'
import type { Storage } from '../../../lib/wire/storage'
import { type LiveState, useLive } from '../../live/load/use-live'

const client = collectorClient('/collector', (...args) => fetch(...args))

/** A rebuild and a log that grows make no fact. */
const EVERY_MS = 10_000
const EVERY_MS_OF_REBUILD = 1000

export interface StorageState extends LiveState {
  /** `null` until it was read once; afterwards the last one read. */
  readonly storage: Storage | null
  /** Each resolves when the collector has answered and storage was asked for again; it rejects with what it said. */
  readonly clear: (options: { readonly owed: boolean }) => Promise<void>
  readonly redigest: () => Promise<void>
}

/** How much is kept and what had to go. Every fact is a reason to look again. */
export function useStorage(): StorageState {
  const [storage, setStorage] = useState<Storage | null>(null)
  const { readAgain, ...live } = useLive({
    streamUrl: client.streamUrl,
    read: async (signal) => setStorage(await client.storage(signal)),
    concerns: () => true,
    everyMs: storage?.rebuild ? EVERY_MS_OF_REBUILD : EVERY_MS,
  })
  return {
    ...live,
    storage,
    clear: async (options) => {
      await client.clear(options)
      readAgain()
    },
    redigest: async () => {
      await client.redigest()
      readAgain()
    },
  }
}
