'use client'

import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { JournalFact } from '../../lib/wire/journal'
import { client, type Failure, failureOf } from './client'
import { browserTimers, type Coalesced, type Connection, coalesce, followStream, notifyFact } from './live-stream'

export interface LiveState {
  readonly connection: Connection
  readonly failure: Failure | null
}

export interface LiveReader {
  /** Reads once more and keeps what it read. It rejects when it cannot. */
  readonly read: (signal: AbortSignal) => Promise<void>
  /** Is this fact a reason to read again? */
  readonly concerns: (fact: JournalFact) => boolean
  /** Reads again this often besides, for what changes without a fact. */
  readonly everyMs?: number
}

export interface Live extends LiveState {
  /** For what the reader has caused: it need not wait for the fact of it. */
  readonly readAgain: () => void
  /** For what is asked for anew: the pace of the stream does not hold it back. */
  readonly readNow: () => void
}

/**
 * Reads now, and again whenever a fact of the live stream concerns it. A hidden tab holds no connection (a browser has
 * six per origin over HTTP/1.1) and reads again when it is seen.
 */
export function useLive({ read, concerns, everyMs }: LiveReader): Live {
  const [connection, setConnection] = useState<Connection>('connecting')
  const [failure, setFailure] = useState<Failure | null>(null)
  const onRead = useEffectEvent(read)
  const onFact = useEffectEvent(concerns)
  const reader = useRef<Coalesced | null>(null)

  useEffect(() => {
    const aborter = new AbortController()
    const reading = coalesce(async () => {
      try {
        await onRead(aborter.signal)
        setFailure(null)
      } catch (error) {
        const found = aborter.signal.aborted ? null : failureOf(error)
        if (found !== null) setFailure(found)
      }
    }, browserTimers)
    reader.current = reading
    let unfollow: (() => void) | null = null
    const follow = (): void => {
      unfollow?.()
      unfollow = null
      if (document.hidden) return
      reading.ask()
      unfollow = followStream(
        () => new EventSource(client.streamUrl),
        {
          onConnection: setConnection,
          onStale: reading.ask,
          onFact: (fact) => {
            notifyFact(fact)
            if (onFact(fact)) reading.ask()
          },
        },
        browserTimers,
      )
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      unfollow?.()
      reader.current = null
      reading.stop()
      aborter.abort()
    }
  }, [])
  useEffect(() => {
    if (everyMs === undefined) return
    const timer = window.setInterval(() => {
      if (!document.hidden) reader.current?.ask()
    }, everyMs)
    return () => window.clearInterval(timer)
  }, [everyMs])
  const readAgain = useCallback(() => reader.current?.ask(), [])
  const readNow = useCallback(() => reader.current?.askNow(), [])
  return { connection, failure, readAgain, readNow }
}
