'use client'

import { useEffect, useState } from 'react'
import type { EventDetail, EventSummary } from '../../lib/wire/event'
import { ErrorStack } from '../errors/error-stack'
import { useMappedFrames } from '../errors/use-mapped-frames'
import { client, type Failure, failureOf } from '../ui/client'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { CopyButton } from '../ui/facts'
import { printable } from '../ui/printable'
import { Received, ServiceName } from '../ui/received'
import { formatDateTime, formatOffset } from '../ui/times'
import styles from './error-list.module.css'

interface ErrorListProps {
  readonly errors: readonly EventSummary[]
  readonly originUs: number
  /** Errors of this span, and the first error, are open initially. */
  readonly spanId: string | null
}

/** The errors of a trace. Opening one loads its stack. */
export function ErrorList({ errors, originUs, spanId }: ErrorListProps) {
  if (errors.length === 0) return <p className="small soft">No errors in this trace.</p>
  return (
    <ul className={styles.errors}>
      {errors.map((error, at) => (
        <ErrorEntry
          key={error.eventId}
          error={error}
          originUs={originUs}
          openAtFirst={at === 0 || error.spanId === spanId}
        />
      ))}
    </ul>
  )
}

interface ErrorEntryProps {
  readonly error: EventSummary
  readonly originUs: number
  readonly openAtFirst: boolean
}

function ErrorEntry({ error, originUs, openAtFirst }: ErrorEntryProps) {
  const [open, setOpen] = useState(openAtFirst)
  return (
    <li className={styles.error}>
      <button type="button" className={styles.title} aria-expanded={open} onClick={() => setOpen(!open)}>
        <svg className={styles.chevron} viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
          <path d={open ? 'M1.5 3.5 5 7l3.5-3.5' : 'M3.5 1.5 7 5 3.5 8.5'} />
        </svg>
        <span aria-hidden="true">✕</span>
        <Received className={styles.text} text={error.title} />
      </button>
      <p className={styles.facts}>
        <span className="num" title={formatDateTime(error.timestampUs / 1000)}>
          {formatOffset(error.timestampUs - originUs)}
        </span>
        <ServiceName service={error.service} />
        {error.handled !== null && <span>{error.handled ? 'handled' : 'unhandled'}</span>}
        {error.digest !== null && (
          <span>
            digest <code>{printable(error.digest)}</code>
            <CopyButton quiet text={error.digest} label="the digest" />
          </span>
        )}
        <DeliveryStatusMark deliveryStatus={error.deliveryStatus} />
        <a href={`/events/${encodeURIComponent(error.eventId)}`}>event</a>
        <a href={`/envelopes/${error.seq}`}>envelope {error.seq}</a>
      </p>
      {open && <LoadedStack eventId={error.eventId} />}
    </li>
  )
}

function LoadedStack({ eventId }: { readonly eventId: string }) {
  const { event, failure } = useEventDetail(eventId)
  const mapping = useMappedFrames(eventId)
  if (failure !== null) return <p className="small soft">The stack could not be read.</p>
  if (event === undefined) return <p className="small faint">Loading …</p>
  if (event === null) return <p className="small soft">The event was evicted or cleared.</p>
  return <ErrorStack event={event} mapping={mapping} />
}

interface EventRead {
  /** `undefined` while loading; `null` when it does not exist. */
  readonly event: EventDetail | null | undefined
  readonly failure: Failure | null
}

function useEventDetail(eventId: string): EventRead {
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
