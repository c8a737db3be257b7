'use client'

import { useEffect, useState } from 'react'
import type { EventDetail } from '../../lib/wire/event'
import { client } from '../ui/client'
import { type Failure, failureOf } from '../ui/failure'

export interface EventRead {
  /** `undefined` while reading, `null` when there is none. */
  readonly event: EventDetail | null | undefined
  readonly failure: Failure | null
}

/** One event, read once: what was received never changes. */
export function useEventDetail(eventId: string): EventRead {
  const [read, setRead] = useState<EventRead>({ event: undefined, failure: null })
  useEffect(() => {
    const aborter = new AbortController()
    client
      .event(eventId, aborter.signal)
      .then((event) => setRead({ event, failure: null }))
      .catch((error: unknown) => {
        const failure = aborter.signal.aborted ? null : failureOf(error)
        if (failure !== null) setRead({ event: undefined, failure })
      })
    return () => aborter.abort()
  }, [eventId])
  return read
}
