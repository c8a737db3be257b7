'use client'

import { useEffect, useState } from 'react'
import { CollectorError, collectorClient } from '../../lib/wire/collector-client'
import type { Standing } from '../../lib/wire/standing'
import { onChanged } from '../live/load/changes'

const client = collectorClient('/collector', (...args) => fetch(...args))

/** It is on every page: a stream of its own would take one of the six connections that a browser has per origin. */
const EVERY_MS = 15_000

export interface StandingRead {
  readonly standing: Standing
  /** How far the collector’s clock is ahead of this one. */
  readonly aheadMs: number
}

/** Is there room, and is what is owed on its way? `null` until it was read once; what was read last stays. */
export function useStanding(): StandingRead | null {
  const [read, setRead] = useState<StandingRead | null>(null)
  useEffect(() => {
    const aborter = new AbortController()
    let timer: number | null = null
    const ask = (): void => {
      if (document.hidden) return
      client.standing(aborter.signal).then(
        (standing) => setRead({ standing, aheadMs: standing.now - Date.now() }),
        (error: unknown) => {
          // Nobody is signed in: asking on would be refused again and again.
          if (error instanceof CollectorError && error.status === 401) stop()
        },
      )
    }
    // What a board hears of a script or a setting is heard here too, without a stream of its own.
    const unheard = onChanged(ask)
    const stop = (): void => {
      unheard()
      if (timer !== null) window.clearInterval(timer)
      timer = null
      document.removeEventListener('visibilitychange', ask)
    }
    timer = window.setInterval(ask, EVERY_MS)
    document.addEventListener('visibilitychange', ask)
    ask()
    return () => {
      stop()
      aborter.abort()
    }
  }, [])
  return read
}
