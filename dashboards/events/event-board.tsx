'use client'

import { useState } from 'react'
import { hex32 } from '../../lib/protocol/ids'
import type { EventDetail } from '../../lib/wire/event'
import { ConnectionBanner } from '../ui/board'
import board from '../ui/board.module.css'
import { client } from '../ui/client'
import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import { TopBar } from '../ui/top-bar'
import { type LiveState, useLive } from '../ui/use-live'
import { EventView } from './event-view'

/** An invalid id is not queried. */
export function EventBoard({ eventId }: { readonly eventId: string }) {
  return hex32(eventId) === null ? <NoEventId text={eventId} /> : <OneEvent eventId={eventId} />
}

function NoEventId({ text }: { readonly text: string }) {
  return (
    <>
      <TopBar title="Error" />
      <div className={board.missing}>
        <h2>Not an event id</h2>
        <p>
          <code>{printable(text)}</code> is not an event id, which has 32 hexadecimal digits. See{' '}
          <a href="/errors">all errors</a>.
        </p>
      </div>
    </>
  )
}

function OneEvent({ eventId }: { readonly eventId: string }) {
  const { event, ...live } = useEvent(eventId)
  return (
    <>
      <TopBar title={event ? <Received text={event.title} /> : 'Error'} live={live} />
      <div className={board.wide}>
        <ConnectionBanner {...live} />
        {event === undefined && live.failure === null && <p className="small faint">Loading …</p>}
        {event === null && (
          <div className={board.missing}>
            <h2>This event has not arrived</h2>
            <p>
              Event <code>{printable(eventId)}</code>. If it arrives, the page updates automatically.
            </p>
            <p>
              Its SDK may never have sent it: it was not sampled, or the page was sent a rate limit for errors (see{' '}
              <a href="/limits">limits</a>, and <a href="/losses">losses</a> for what SDKs report as discarded).
            </p>
            <p>
              It may have been evicted or cleared (see <a href="/storage">storage</a>), or the collector uses another
              data folder now.
            </p>
            <p>
              See <a href="/errors">all errors</a>.
            </p>
          </div>
        )}
        {event && <EventView event={event} />}
      </div>
    </>
  )
}

/** The event is `undefined` until the first read, and `null` while no such event is recorded. */
function useEvent(eventId: string): LiveState & { readonly event: EventDetail | null | undefined } {
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
