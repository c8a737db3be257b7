'use client'

import type { EventSummary } from '../../lib/wire/event'
import { ErrorViews, FirstErrorSteps } from '../errors/error-views'
import { Empty } from '../ui/board'
import { client } from '../ui/client'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { type Column, ListTable, NarrowButton, RowMark } from '../ui/list-table'
import { LiveList } from '../ui/live-list'
import { printable } from '../ui/printable'
import { Received, ServiceName, TraceLink } from '../ui/received'
import type { ListSource } from '../ui/use-live-list'
import styles from './events-board.module.css'

/** `/events`: the recorded error events, newest first, including those outside any trace. */
export function EventsBoard() {
  return (
    <LiveList
      title="Errors"
      noun="errors"
      source={SOURCE}
      filterHint="text of the title, handled:false …"
      tabs={
        <div className={styles.views}>
          <ErrorViews current="events" />
        </div>
      }
      empty={<NoEvents />}
      table={(events, narrow) => (
        <ListTable
          caption="Error events, newest arrival first"
          className={styles.table}
          columns={COLUMNS}
          rows={events}
          keyOf={SOURCE.keyOf}
          rowProps={rowProps}
          narrow={narrow}
        />
      )}
    />
  )
}

const SOURCE: ListSource<EventSummary> = {
  list: 'events',
  readPage: async (request) => {
    const page = await client.events(request)
    return { rows: page.events, next: page.next, head: page.journal, leftOut: page.leftOut }
  },
  keyOf: (event) => event.eventId,
  orderOf: (event) => event.journal,
  // A received envelope becomes an event when it is digested; a refused one never does.
  concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
}

const rowProps = (event: EventSummary) => ({ 'data-event': event.eventId })

const COLUMNS: readonly Column<EventSummary>[] = [
  {
    heading: 'Error',
    cellClass: styles.errorCell,
    cellProps: (event) => ({ 'data-handled': handledLabel(event) }),
    cell: ({ eventId, title, level, copy }) => (
      <>
        <a data-row-link href={`/events/${encodeURIComponent(eventId)}`}>
          <Received text={title} />
        </a>
        {level !== 'error' && <Received className={styles.level} text={level} />}
        {copy === 'only' && <RowMark>copy only</RowMark>}
      </>
    ),
  },
  {
    heading: 'Handled',
    headingClass: styles.handled,
    cellClass: styles.handledCell,
    cellProps: (event) => ({ 'data-handled': handledLabel(event) }),
    cell: (event) => handledLabel(event) ?? '–',
  },
  {
    heading: 'Service',
    headingClass: styles.service,
    cell: (event, narrow) => {
      const environment = unusualEnvironment(event)
      return (
        <>
          <NarrowButton name="service" value={event.service} narrow={narrow}>
            <ServiceName service={event.service} />
          </NarrowButton>
          {environment !== null && (
            <NarrowButton name="environment" value={environment} narrow={narrow}>
              <RowMark>
                <Received text={environment} />
              </RowMark>
            </NarrowButton>
          )}
        </>
      )
    },
  },
  {
    heading: 'Transaction',
    title: 'The transaction in which the error happened',
    headingClass: styles.where,
    cellClass: styles.whereCell,
    cellProps: ({ transaction }) => ({ title: transaction === null ? undefined : printable(transaction) }),
    cell: ({ transaction }) => (transaction === null ? '–' : <Received className="mono" text={transaction} />),
  },
  {
    heading: 'Age',
    title: 'Time since the error happened. The list is in order of arrival, newest first.',
    right: true,
    headingClass: styles.age,
    cell: ({ timestampUs }) => <Age atMs={timestampUs / 1000} />,
  },
  {
    heading: 'Trace',
    headingClass: styles.trace,
    cell: ({ traceId }) => <TraceLink traceId={traceId} />,
  },
  {
    heading: 'Delivery',
    headingClass: styles.status,
    cell: ({ deliveryStatus }) => <DeliveryStatusMark deliveryStatus={deliveryStatus} />,
  },
]

/** `null` where the SDK does not say, as for a message. */
export function handledLabel(event: Pick<EventSummary, 'handled'>): 'handled' | 'unhandled' | null {
  if (event.handled === null) return null
  return event.handled ? 'handled' : 'unhandled'
}

/** SDKs send this environment by default; a mark in every row would be noise. */
const DEFAULT_ENVIRONMENT = 'production'

/** The environment, unless it is the default one. */
export const unusualEnvironment = ({ environment }: Pick<EventSummary, 'environment'>): string | null =>
  environment === DEFAULT_ENVIRONMENT ? null : environment

function NoEvents() {
  return (
    <Empty title="No errors yet" what="list">
      <p>This list shows every error event, with or without a trace. A row opens its stack and breadcrumbs.</p>
      <FirstErrorSteps />
    </Empty>
  )
}
