'use client'

import { useState } from 'react'
import type { EventDetail } from '../../lib/wire/event'
import { client } from '../ui/client'
import { type LiveState, useLive } from '../ui/use-live'

export interface EventState extends LiveState {
  /** `undefined` until it was read once; `null` when none of this id is recorded (yet). */
  readonly event: EventDetail | null | undefined
}

/** One event; what was received of it never changes, what became of it does. */
export function useEvent(eventId: string): EventState {
  const [event, setEvent] = useState<EventDetail | null | undefined>(undefined)
  const live = useLive({
    read: async (signal) => {
      const read = await client.event(eventId, signal)
      setEvent((before) => read ?? before ?? null)
    },
    concerns: (fact) => (event ? fact.seq === event.seq : fact.kind === 'digested') || fact.kind === 'cleared',
  })
  return { ...live, event }
}
