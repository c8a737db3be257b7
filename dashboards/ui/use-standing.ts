'use client'

import { useEffect, useState } from 'react'
import { CollectorError } from '../../lib/wire/collector-client'
import type { Standing } from '../../lib/wire/standing'
import { onChange } from './changes'
import { client } from './client'
import { browserTimers, coalesce } from './coalesce'

/** It is on every page: a stream of its own would take one of the six connections that a browser has per origin. */
const EVERY_MS = 15_000
/** What boards hear may come a thousand times a second: it is asked no more often than this. */
const GAP_MS = 1000

export interface StandingRead {
  readonly standing: Standing
  /** How far the collector’s clock is ahead of this one. */
  readonly aheadMs: number
}

/** Is there room, and is what is pending on its way? `null` until it was read once; what was read last stays. */
export function useStanding(): StandingRead | null {
  const [read, setRead] = useState<StandingRead | null>(null)
  useEffect(() => {
    const aborter = new AbortController()
    let timer: number | null = null
    const reading = coalesce(
      async () => {
        if (document.hidden) return
        try {
          const standing = await client.standing(aborter.signal)
          setRead({ standing, aheadMs: standing.now - Date.now() })
        } catch (error) {
          // Nobody is signed in: asking on would be refused again and again.
          if (error instanceof CollectorError && error.status === 401) stop()
        }
      },
      browserTimers,
      GAP_MS,
    )
    const { ask, askNow } = reading
    // What a board hears and what is done on it counts here too, without a stream of its own.
    const unheard = onChange((change) => (change === 'done' ? askNow() : ask()))
    const stop = (): void => {
      unheard()
      reading.stop()
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
