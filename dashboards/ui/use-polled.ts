'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import { CollectorError } from '../../lib/wire/errors'
import { type Failure, failureOf } from './client'
import { browserTimers, coalesce, onChange } from './live-stream'

/** Live facts can arrive a thousand times a second; an answer is read at most once per gap. */
const GAP_MS = 1000

interface Polled<Answer> {
  /** The last answer; `null` before the first. It stays when a read fails. */
  readonly answer: Answer | null
  /** Why the last read failed; `null` if it succeeded. */
  readonly failure: Failure | null
}

/**
 * Reads an answer at an interval, and after facts that a board received or actions on this page. Polls, because every page
 * uses it: a stream would take one of the six connections a browser opens per origin. A hidden tab reads nothing.
 */
export function usePolled<Answer>(read: (signal: AbortSignal) => Promise<Answer>, everyMs: number): Polled<Answer> {
  const [polled, setPolled] = useState<Polled<Answer>>({ answer: null, failure: null })
  const onRead = useEffectEvent(read)
  useEffect(() => {
    const aborter = new AbortController()
    let timer: number | null = null
    const reading = coalesce(
      async () => {
        if (document.hidden) return
        try {
          const answer = await onRead(aborter.signal)
          setPolled({ answer, failure: null })
        } catch (error) {
          const failure = failureOf(error)
          if (failure !== null && !aborter.signal.aborted) setPolled(({ answer }) => ({ answer, failure }))
          // Signed out: every further read would be refused.
          if (error instanceof CollectorError && error.status === 401) stop()
        }
      },
      browserTimers,
      GAP_MS,
    )
    const { request, requestNow } = reading
    const unheard = onChange((change) => (change === 'local' ? requestNow() : request()))
    const stop = (): void => {
      unheard()
      reading.stop()
      if (timer !== null) window.clearInterval(timer)
      timer = null
      document.removeEventListener('visibilitychange', request)
    }
    timer = window.setInterval(request, everyMs)
    document.addEventListener('visibilitychange', request)
    request()
    return () => {
      stop()
      aborter.abort()
    }
  }, [everyMs])
  return polled
}
