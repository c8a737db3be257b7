'use client'

import { useState } from 'react'
import { hex32 } from '../../lib/protocol/json'
import type { EventDetail } from '../../lib/wire/event'
import { ConnectionBanner, ConnectionState } from '../ui/board'
import board from '../ui/board.module.css'
import { client } from '../ui/client'
import { printable } from '../ui/printable'
import { type LiveState, useLive } from '../ui/use-live'
import { EventView } from './event-view'

/** What cannot be an id is not asked for: no answer would make it one. */
export function EventBoard({ eventId }: { readonly eventId: string }) {
  return hex32(eventId) === null ? <NoEventId text={eventId} /> : <OneEvent eventId={eventId} />
}

function NoEventId({ text }: { readonly text: string }) {
  return (
    <div className={board.wide}>
      <div className={board.missing}>
        <h1>This is not an event id</h1>
        <p>
          <code>{printable(text)}</code> is no event id: 32 hexadecimal digits are meant. See{' '}
          <a href="/events">all errors</a>.
        </p>
      </div>
    </div>
  )
}

/** `/events/{id}`: one error event, whole. */
function OneEvent({ eventId }: { readonly eventId: string }) {
  const { event, ...live } = useEvent(eventId)
  return (
    <div className={board.wide}>
      <ConnectionBanner {...live} />
      {event === undefined && live.failure === null && <p className="small faint">Reading …</p>}
      {event === null && (
        <div className={board.missing}>
          <h1>This event is not here yet</h1>
          <p>
            Looked for <code>{printable(eventId)}</code>. If it is still on its way it appears here when it arrives.
          </p>
          <p>
            Its SDK may never have sent it: it was sampled out, or a limit on errors was told to its page (see{' '}
            <a href="/limits">limits</a>, and <a href="/losses">losses</a> for what SDKs say they discarded).
          </p>
          <p>
            If it was here before, it made room for newer ones or was cleared (see <a href="/storage">storage</a>), or
            the data folder is another one now.
          </p>
          <p>
            See <a href="/events">all errors</a>.
          </p>
        </div>
      )}
      {event && <EventView event={event} connection={<ConnectionState {...live} />} />}
    </div>
  )
}

export interface EventState extends LiveState {
  /** `undefined` until it was read once; `null` when none of this id is recorded (yet). */
  readonly event: EventDetail | null | undefined
}

/** One event; what was received of it never changes, what became of it does. */
function useEvent(eventId: string): EventState {
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
