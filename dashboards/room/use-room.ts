'use client'

import { useEffect, useState } from 'react'
import { CollectorError, collectorClient } from '../../lib/wire/collector-client'
import type { Storage } from '../../lib/wire/storage'

const client = collectorClient('/collector', (...args) => fetch(...args))

/** It is on every page: a stream of its own would take one of the six connections that a browser has per origin. */
const EVERY_MS = 15_000

export type Room = Pick<Storage, 'state' | 'trouble'>

/** Whether there is room; `null` until it was read once. What was read last stays while the collector is away. */
export function useRoom(): Room | null {
  const [room, setRoom] = useState<Room | null>(null)
  useEffect(() => {
    const aborter = new AbortController()
    let timer: number | null = null
    const read = (): void => {
      if (document.hidden) return
      client.storage(aborter.signal).then(setRoom, (error: unknown) => {
        // Nobody is signed in: asking on would be refused again and again.
        if (error instanceof CollectorError && error.status === 401) stop()
      })
    }
    const stop = (): void => {
      if (timer !== null) window.clearInterval(timer)
      timer = null
      document.removeEventListener('visibilitychange', read)
    }
    timer = window.setInterval(read, EVERY_MS)
    document.addEventListener('visibilitychange', read)
    read()
    return () => {
      stop()
      aborter.abort()
    }
  }, [])
  return room
}
