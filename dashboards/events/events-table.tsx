'use client'

import { memo } from 'react'
import type { EventSummary } from '../../lib/wire/event'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import list from '../ui/list-table.module.css'
import { type Narrow, NarrowButton } from '../ui/narrow-button'
import { printable } from '../ui/printable'
import { Received, ServiceName, TraceLink } from '../ui/received'
import { handledWord, unusualEnvironment } from './event-words'
import styles from './events-table.module.css'

interface EventsTableProps {
  readonly events: readonly EventSummary[]
  readonly onNarrow: Narrow
}

export function EventsTable({ events, onNarrow }: EventsTableProps) {
  return (
    <table className={`${list.table} ${styles.table}`}>
      <caption className="visually-hidden">Error events, newest arrival first</caption>
      <thead>
        <tr>
          <th scope="col">Error</th>
          <th scope="col" className={styles.handled}>
            Handled
          </th>
          <th scope="col" className={styles.service}>
            Service
          </th>
          <th scope="col" className={styles.where} title="The transaction it happened in">
            Where
          </th>
          <th
            scope="col"
            className={`${list.right} ${styles.age}`}
            title="When it happened; the list is in the order of arrival, the newest first"
          >
            Age
          </th>
          <th scope="col" className={styles.trace}>
            Trace
          </th>
          <th scope="col" className={styles.status}>
            Delivery
          </th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <EventRow key={event.eventId} event={event} onNarrow={onNarrow} />
        ))}
      </tbody>
    </table>
  )
}

interface EventRowProps {
  readonly event: EventSummary
  readonly onNarrow: Narrow
}

const EventRow = memo(function EventRow({ event, onNarrow }: EventRowProps) {
  const environment = unusualEnvironment(event)
  const handled = handledWord(event)
  return (
    <tr data-event={event.eventId}>
      <td className={styles.errorCell} data-handled={handled}>
        <a data-row-link href={`/events/${encodeURIComponent(event.eventId)}`}>
          <Received text={event.title} />
        </a>
        {event.level !== 'error' && <Received className={styles.level} text={event.level} />}
        {event.copy === 'only' && <span className={list.mark}>seen, not sent</span>}
      </td>
      <td className={styles.handledCell} data-handled={handled}>
        {handled ?? '–'}
      </td>
      <td>
        <NarrowButton name="service" value={event.service} onNarrow={onNarrow}>
          <ServiceName service={event.service} />
        </NarrowButton>
        {environment !== null && (
          <NarrowButton name="environment" value={environment} onNarrow={onNarrow}>
            <Received className={list.mark} text={environment} />
          </NarrowButton>
        )}
      </td>
      <td className={styles.whereCell} title={event.transaction === null ? undefined : printable(event.transaction)}>
        {event.transaction === null ? '–' : <Received className="mono" text={event.transaction} />}
      </td>
      <td className={list.right}>
        <Age atMs={event.timestampUs / 1000} />
      </td>
      <td>
        <TraceLink traceId={event.traceId} />
      </td>
      <td>
        <DeliveryStatusMark deliveryStatus={event.deliveryStatus} />
      </td>
    </tr>
  )
})
