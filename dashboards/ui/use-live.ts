'use client'

import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { JournalFact } from '../../lib/wire/journal'
import { client, type Failure, failureOf } from './client'
import {
  browserTimers,
  type Coalesced,
  type Connection,
  coalesce,
  followStream,
  notifyFact,
  shareStream,
} from './live-stream'

export interface LiveState {
  readonly connection: Connection
  readonly failure: Failure | null
  /** When the stream is opened again, ms since the epoch; `null` while it is open or opening. */
  readonly retryAt?: number | null
  /** When the stream was opened again after a cut; `null` when it never was cut. */
  readonly backAt?: number | null
}

export interface LiveReader {
  /** Reads and stores the result. Rejects when it fails. */
  readonly read: (signal: AbortSignal) => Promise<void>
  readonly concerns: (fact: JournalFact) => boolean
  /** Also reads at this interval, for changes without a fact. */
  readonly everyMs?: number
  /** The shortest time between two reads, by default 250 ms. */
  readonly gapMs?: number
}

export interface Live extends LiveState {
  /** Reads after an action on this page, without waiting for its fact. */
  readonly readAgain: () => void
  /** Reads at once when the query changed, outside the pace of the stream. */
  readonly readNow: () => void
}

const FIRST: Required<Omit<LiveState, 'failure'>> = { connection: 'connecting', retryAt: null, backAt: null }

const followPageStream = shareStream((listener) => {
  const onFact = (fact: JournalFact): void => {
    notifyFact(fact)
    listener.onFact(fact)
  }
  return followStream(() => new EventSource(client.streamUrl), { ...listener, onFact }, browserTimers)
})

/** A copy that is behind catches up without a fact that would cause a read. */
const BEHIND_RETRY_MS = 2000

/** Reads now and after relevant facts. A hidden tab closes its stream: browsers open six connections per origin. */
export function useLive({ read, concerns, everyMs, gapMs }: LiveReader): Live {
  const [stream, setStream] = useState(FIRST)
  const [failure, setFailure] = useState<Failure | null>(null)
  const onRead = useEffectEvent(read)
  const onFact = useEffectEvent(concerns)
  const reader = useRef<Coalesced | null>(null)

  useEffect(() => {
    const aborter = new AbortController()
    let retry: number | undefined
    const reading = coalesce(
      async () => {
        try {
          await onRead(aborter.signal)
          setFailure(null)
        } catch (error) {
          const found = aborter.signal.aborted ? null : failureOf(error)
          if (found !== null) setFailure(found)
          window.clearTimeout(retry)
          if (found?.kind === 'behind') retry = window.setTimeout(reading.requestNow, BEHIND_RETRY_MS)
        }
      },
      browserTimers,
      gapMs,
    )
    reader.current = reading
    let unfollow: (() => void) | null = null
    const follow = (): void => {
      unfollow?.()
      unfollow = null
      if (document.hidden) return
      reading.request()
      unfollow = followPageStream({
        onConnection: (connection, retryInMs) =>
          setStream((before) => ({
            connection,
            retryAt: retryInMs === null ? null : Date.now() + retryInMs,
            backAt: connection === 'live' && before.retryAt !== null ? Date.now() : before.backAt,
          })),
        onStale: reading.request,
        onFact: (fact) => {
          if (onFact(fact)) reading.request()
        },
      })
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      unfollow?.()
      reader.current = null
      window.clearTimeout(retry)
      reading.stop()
      aborter.abort()
    }
  }, [gapMs])
  useEffect(() => {
    if (everyMs === undefined) return
    const timer = window.setInterval(() => {
      if (!document.hidden) reader.current?.request()
    }, everyMs)
    return () => window.clearInterval(timer)
  }, [everyMs])
  const readAgain = useCallback(() => reader.current?.request(), [])
  const readNow = useCallback(() => reader.current?.requestNow(), [])
  return { ...stream, failure, readAgain, readNow }
}
