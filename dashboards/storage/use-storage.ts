'use client'

import { useState } from 'react'
import { formatDurationMs, plural } from '../../lib/format'
import type { Redigest, Storage } from '../../lib/wire/storage'
import { client } from '../ui/client'
import { notifyDone } from '../ui/live-stream'
import { type LiveState, useLive } from '../ui/use-live'

/** A rebuild and a growing write-ahead log are not facts of the stream. */
const EVERY_MS = 10_000
const EVERY_MS_OF_REBUILD = 1000

interface StorageState extends LiveState {
  readonly storage: Storage | null
  /** These resolve when the collector answered and a read was requested; they reject with its error. */
  readonly clear: (options: { readonly pending: boolean }) => Promise<void>
  readonly redigest: () => Promise<void>
  /** How the last rebuild ended that this page followed; `null` before, and during a rebuild. */
  readonly redigested: Redigested | null
}

export function useStorage(): StorageState {
  const [storage, setStorage] = useState<Storage | null>(null)
  const [redigested, setRedigested] = useState<Redigested | null>(null)
  /** The start of the rebuild that is followed. */
  const [followed, setFollowed] = useState<number | null>(null)
  const follow = (state: Redigest, startedAt: number): void => {
    setFollowed(state.rebuild?.startedAt ?? null)
    setRedigested(endOfRebuild(state, startedAt))
  }
  const { readAgain, ...live } = useLive({
    read: async (signal) => {
      // Read first: storage must not show a rebuild that was reported as ended.
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

/** The result of a rebuild; `null` for an aborted one. */
export interface Redigested {
  readonly last: Redigest['last']
}

/** The result of the rebuild that started then, or of a later one; `null` while it runs. */
export function endOfRebuild({ rebuild, last }: Redigest, startedAt: number): Redigested | null {
  if (rebuild !== null) return null
  // `last` may be an earlier rebuild, when this one was aborted.
  return { last: last !== null && last.startedAt >= startedAt ? last : null }
}

export const redigestedText = ({ last }: Redigested): string =>
  last === null
    ? 'The rebuild was aborted; see the log of the collector.'
    : `Digested again: ${plural(last.done, 'envelope')} in ${formatDurationMs(last.endedAt - last.startedAt)}.`
