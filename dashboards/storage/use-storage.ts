'use client'

import { useState } from 'react'
import { formatDurationMs, plural } from '../../lib/format'
import type { Redigest, Storage } from '../../lib/wire/storage'
import { client } from '../ui/client'
import { notifyDone } from '../ui/live-stream'
import { type LiveState, useLive } from '../ui/use-live'

/** A rebuild and a log that grows make no fact. */
const EVERY_MS = 10_000
const EVERY_MS_OF_REBUILD = 1000

export interface StorageState extends LiveState {
  /** `null` until it was read once; afterwards the last one read. */
  readonly storage: Storage | null
  /** Each resolves when the collector has answered and storage was asked for again; it rejects with what it said. */
  readonly clear: (options: { readonly pending: boolean }) => Promise<void>
  readonly redigest: () => Promise<void>
  /** How the last rebuild ended that was seen from here; `null` when none was, and while one is under way. */
  readonly redigested: Redigested | null
}

/** How much is kept and what had to go. Every fact is a reason to look again. */
export function useStorage(): StorageState {
  const [storage, setStorage] = useState<Storage | null>(null)
  const [redigested, setRedigested] = useState<Redigested | null>(null)
  /** When the rebuild began that is followed to its end. */
  const [followed, setFollowed] = useState<number | null>(null)
  const follow = (state: Redigest, startedAt: number): void => {
    setFollowed(state.rebuild?.startedAt ?? null)
    setRedigested(endOfRebuild(state, startedAt))
  }
  const { readAgain, ...live } = useLive({
    read: async (signal) => {
      // Asked for first, so that storage shows no rebuild any more that is said to have ended.
      const state = followed === null ? null : await client.redigestState(signal)
      const read = await client.storage(signal)
      setStorage(read)
      if (followed !== null && state !== null) follow(state, followed)
      else if (read.rebuild !== null) follow({ rebuild: read.rebuild, last: null }, read.rebuild.startedAt)
    },
    concerns: () => true,
    everyMs: followed !== null ? EVERY_MS_OF_REBUILD : EVERY_MS,
  })
  return {
    ...live,
    storage,
    redigested,
    clear: async (options) => {
      await client.clear(options)
      readAgain()
      notifyDone()
    },
    redigest: async () => {
      const begun = await client.redigest()
      follow(begun, begun.rebuild?.startedAt ?? 0)
      readAgain()
    },
  }
}

/** How a rebuild ended; `null` is one that was given up. */
export interface Redigested {
  readonly last: Redigest['last']
}

/** How the rebuild ended that began then, or a later one; `null` while it is under way. */
export function endOfRebuild({ rebuild, last }: Redigest, startedAt: number): Redigested | null {
  if (rebuild !== null) return null
  // An earlier one may have been finished, and this one given up.
  return { last: last !== null && last.startedAt >= startedAt ? last : null }
}

export const redigestedText = ({ last }: Redigested): string =>
  last === null
    ? 'It was given up; what the collector printed says why.'
    : `Digested again: ${plural(last.done, 'envelope')} in ${formatDurationMs(last.endedAt - last.startedAt)}.`
