'use client'

import { useState } from 'react'
import type { Script, StandInState } from '../../lib/wire/stand-in'
import { client } from '../ui/client'
import { notifyDone } from '../ui/live-stream'
import { type LiveState, useLive } from '../ui/use-live'

/** A client report of our own is posted without a fact. */
const EVERY_MS = 10_000

export interface StandInBoardState extends LiveState {
  /** `null` until it was read once, and where there is none. */
  readonly standIn: StandInState | null
  /** The collector said that it does not play upstream. */
  readonly isThereNone: boolean
  /** How far the collector’s clock is ahead of this one. */
  readonly aheadMs: number
  /** Resolves when the script is played; rejects with what the collector said. */
  readonly play: (script: Script) => Promise<void>
}

interface Read {
  readonly standIn: StandInState | null
  readonly aheadMs: number
}

/** What the stand-in plays, and what came to it. */
export function useStandIn(): StandInBoardState {
  const [read, setRead] = useState<Read | null>(null)
  const { readAgain, ...live } = useLive({
    read: async (signal) => {
      const standIn = await client.standIn(signal)
      setRead({ standIn, aheadMs: standIn === null ? 0 : standIn.now - Date.now() })
    },
    concerns: () => true,
    everyMs: EVERY_MS,
  })
  return {
    ...live,
    standIn: read?.standIn ?? null,
    isThereNone: read !== null && read.standIn === null,
    aheadMs: read?.aheadMs ?? 0,
    play: async (script) => {
      await client.play(script)
      readAgain()
      notifyDone()
    },
  }
}
