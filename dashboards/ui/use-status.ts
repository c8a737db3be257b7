'use client'

import { useEffect, useState } from 'react'
import { CollectorError } from '../../lib/wire/collector-client'
import type { Status } from '../../lib/wire/overview'
import { client } from './client'
import { browserTimers, coalesce, onChange } from './live-stream'

/** Polls, because every page uses it: a stream would take one of the six connections a browser opens per origin. */
const EVERY_MS = 15_000
/** Live facts can arrive a thousand times a second; the status is read at most once per gap. */
const GAP_MS = 1000

interface StatusRead {
  readonly status: Status
  /** The collector’s clock minus this one, in ms. */
  readonly aheadMs: number
}

/** Disk space and delivery status; `null` before the first answer. Keeps the last answer when a read fails. */
export function useStatus(): StatusRead | null {
  const [read, setRead] = useState<StatusRead | null>(null)
  useEffect(() => {
    const aborter = new AbortController()
    let timer: number | null = null
    const reading = coalesce(
      async () => {
        if (document.hidden) return
        try {
          const status = await client.status(aborter.signal)
          setRead({ status, aheadMs: status.now - Date.now() })
        } catch (error) {
          // Signed out: every further read would be refused.
          if (error instanceof CollectorError && error.status === 401) stop()
        }
      },
      browserTimers,
      GAP_MS,
    )
    const { request, requestNow } = reading
    // Reads again when a board receives a fact or performs an action.
    const unheard = onChange((change) => (change === 'local' ? requestNow() : request()))
    const stop = (): void => {
      unheard()
      reading.stop()
      if (timer !== null) window.clearInterval(timer)
      timer = null
      document.removeEventListener('visibilitychange', request)
    }
    timer = window.setInterval(request, EVERY_MS)
    document.addEventListener('visibilitychange', request)
    request()
    return () => {
      stop()
      aborter.abort()
    }
  }, [])
  return read
}
