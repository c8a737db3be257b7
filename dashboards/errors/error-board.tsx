'use client'

import { type ReactNode, useState } from 'react'
import { hex32 } from '../../lib/protocol/ids'
import type { ErrorGroupDetail } from '../../lib/wire/error-groups'
import type { EventDetail } from '../../lib/wire/event'
import { ConnectionBanner } from '../ui/board'
import board from '../ui/board.module.css'
import { client } from '../ui/client'
import { printable } from '../ui/printable'
import { TopBar } from '../ui/top-bar'
import { type Live, useLive } from '../ui/use-live'
import { ErrorTitle, ErrorView } from './error-view'

/** `/errors/{hash}`: a group, by the event that was its newest when the page was opened. An invalid hash is not queried. */
export function ErrorGroupBoard({ hash }: { readonly hash: string }) {
  return hex32(hash) === null ? <NotAnId text={hash} what="group" /> : <GroupPage key={hash} hash={hash} />
}

/** `/events/{id}`: one event, with its group at the side. An invalid id is not queried. */
export function EventBoard({ eventId }: { readonly eventId: string }) {
  return hex32(eventId) === null ? (
    <NotAnId text={eventId} what="event" />
  ) : (
    <EventPage key={eventId} eventId={eventId} />
  )
}

function GroupPage({ hash }: { readonly hash: string }) {
  const read = useError(async (shown, signal) => {
    const group = await client.errorGroup(hash, signal)
    const eventId = shown?.eventId ?? group?.newestEventId
    return { group, event: eventId === undefined ? null : await client.event(eventId, signal) }
  })
  return (
    <ErrorPage {...read} missing="No error of this group is stored">
      <p>
        Group <code>{printable(hash)}</code>. If an event of it arrives, the page updates automatically.
      </p>
      <p>Its events {GONE}</p>
    </ErrorPage>
  )
}

function EventPage({ eventId }: { readonly eventId: string }) {
  const read = useError(async (_, signal) => {
    const event = await client.event(eventId, signal)
    return { event, group: event === null ? null : await client.errorGroup(event.group.hash, signal) }
  })
  return (
    <ErrorPage {...read} missing="This event has not arrived">
      <p>
        Event <code>{printable(eventId)}</code>. If it arrives, the page updates automatically.
      </p>
      <p>
        Its SDK may never have sent it: it was not sampled, or the page was sent a rate limit for errors (see{' '}
        <a href="/limits">limits</a>, and <a href="/losses">losses</a> for what SDKs report as discarded).
      </p>
      <p>It {GONE}</p>
    </ErrorPage>
  )
}

const GONE = (
  <>
    may have been evicted or cleared (see <a href="/storage">storage</a>), or the collector uses another data folder
    now.
  </>
)

const NotAnId = ({ text, what }: { readonly text: string; readonly what: 'group' | 'event' }) => (
  <>
    <TopBar title="Error" />
    <Missing title={what === 'event' ? 'Not an event id' : 'Not a group of errors'}>
      <p>
        <code>{printable(text)}</code> is not {what === 'event' ? 'an event id' : 'the hash of a group'}, which has 32
        hexadecimal digits.
      </p>
    </Missing>
  </>
)

const Missing = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className={board.wide}>
    <div className={board.missing}>
      <h2>{title}</h2>
      {children}
      <p>
        See <a href="/errors">all errors</a>.
      </p>
    </div>
  </div>
)

interface Shown {
  readonly event: EventDetail | null
  readonly group: ErrorGroupDetail | null
}

interface ErrorRead extends Live {
  /** `undefined` until the first answer. */
  readonly shown: Shown | undefined
}

interface ErrorPageProps extends ErrorRead {
  /** Heading and text while nothing is stored under the address. */
  readonly missing: string
  readonly children: ReactNode
}

function ErrorPage({ shown, missing, children, ...live }: ErrorPageProps) {
  const event = shown?.event ?? null
  return (
    <>
      <TopBar title={event === null ? 'Error' : <ErrorTitle event={event} />} live={live} />
      <ConnectionBanner {...live} />
      {shown === undefined && live.failure === null && <p className={`small faint ${board.wide}`}>Loading …</p>}
      {shown !== undefined && event === null && <Missing title={missing}>{children}</Missing>}
      {event !== null && <ErrorView event={event} group={shown?.group ?? null} onMarked={live.readAgain} />}
    </>
  )
}

type ReadError = (shown: EventDetail | null, signal: AbortSignal) => Promise<Shown>

/** Reads an event with its group, and again when it may have changed. An event that is evicted stays on the page. */
function useError(readError: ReadError): ErrorRead {
  const [shown, setShown] = useState<Shown | undefined>(undefined)
  const live = useLive({
    read: async (signal) => {
      const read = await readError(shown?.event ?? null, signal)
      setShown((before) => ({ event: read.event ?? before?.event ?? null, group: read.group ?? before?.group ?? null }))
    },
    concerns: ({ kind, seq }) =>
      kind === 'digested' || kind === 'changed' || kind === 'cleared' || seq === shown?.event?.seq,
  })
  return { ...live, shown }
}
