'use client'

import { useMemo, useState } from 'react'
import { plural } from '../../../lib/format'
import { Glyph } from '../../ui/glyph'
import { printable } from '../../ui/printable'
import { Received, ServiceName } from '../../ui/received'
import { Segments } from '../../ui/segments'
import { formatDateTime, formatOffset } from '../../ui/times'
import { nodesBelow } from '../tree-rows'
import styles from './events-view.module.css'
import type { ViewProps } from './other-view'
import { eventsWithin, type TraceEvent, traceEvents } from './trace-events'
import { EmptyView, useFirstRows, ViewFrame } from './view-frame'
import frame from './view-frame.module.css'

const KINDS = [
  { id: 'all', label: 'All' },
  { id: 'error', label: 'Errors' },
  { id: 'log', label: 'Logs' },
  { id: 'breadcrumb', label: 'Breadcrumbs' },
  { id: 'other', label: 'Other signals' },
] as const
const SCOPES = [
  { id: 'all', label: 'All spans' },
  { id: 'below', label: 'Selected span and below' },
] as const
type Kind = (typeof KINDS)[number]['id']

/** Errors, logs, breadcrumbs and other signals of a trace, or of its focused subtree, in time order. */
export function EventsView({ trace, analysis, breadcrumbs, signals, within, selected, onReveal }: ViewProps) {
  const [kind, setKind] = useState<Kind>('all')
  const [isBelow, setIsBelow] = useState(false)
  const all = useMemo(
    () => traceEvents({ errors: trace.errors, breadcrumbs, signals }),
    [trace.errors, breadcrumbs, signals],
  )
  const below = isBelow && selected !== null ? analysis.nodes.get(selected) : undefined
  const events = useMemo(() => {
    const ofSelected = below && new Set([below, ...nodesBelow(analysis.tree, below)].map(({ span }) => span.spanId))
    return eventsWithin(eventsWithin(all, within), ofSelected ?? null)
  }, [all, within, below, analysis.tree])
  const ofKind = (id: Kind) => (id === 'all' ? events : events.filter((event) => event.kind === id))
  const [rows, more] = useFirstRows(ofKind(kind))
  const hidden = all.length - events.length
  return (
    <ViewFrame
      bar={
        <>
          {selected !== null && analysis.nodes.has(selected) && (
            <Segments
              label="Spans"
              segments={SCOPES}
              current={isBelow ? 'below' : 'all'}
              onChange={(id) => setIsBelow(id === 'below')}
            />
          )}
          <Segments
            label="Kind"
            segments={KINDS.map((one) => ({ ...one, count: ofKind(one.id).length })).filter(
              ({ id, count }) => id !== 'other' || count > 0,
            )}
            current={kind}
            onChange={setKind}
          />
          <span>
            Times count from the start of the trace.
            {hidden > 0 && ` ${plural(hidden, 'event')} of other spans, or without a span, hidden.`}
          </span>
        </>
      }
    >
      {rows.length === 0 ? (
        <EmptyView>{emptyText(kind, hidden)}</EmptyView>
      ) : (
        <table className={frame.table} aria-label="Events of this trace, oldest first">
          <thead>
            <tr>
              <th scope="col" data-number>
                Time
              </th>
              <th scope="col">Kind</th>
              <th scope="col">Service</th>
              <th scope="col">What happened</th>
              <th scope="col">Span</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((event) => (
              <EventRow
                key={event.key}
                event={event}
                originUs={trace.summary.startUs}
                spanName={event.spanId === null ? undefined : analysis.nodes.get(event.spanId)?.span.name}
                isSelected={event.spanId !== null && event.spanId === selected}
                onReveal={onReveal}
              />
            ))}
          </tbody>
        </table>
      )}
      {more}
    </ViewFrame>
  )
}

const WHEN: Readonly<Record<Kind, string>> = {
  all: 'Nothing happened in this trace besides its spans. Errors, logs and metrics that are sent during a trace carry its id and stand here.',
  error: 'No errors in this trace.',
  log: 'No logs in this trace. A log carries the id of the trace in which it is written, such as Sentry.logger.info("order placed").',
  breadcrumb: 'No breadcrumbs. SDKs send them with the errors of a trace.',
  other: 'No other signals in this trace.',
}

const emptyText = (kind: Kind, hidden: number): string =>
  hidden === 0
    ? WHEN[kind]
    : 'None of these events belongs to the chosen spans. Choose all spans, or leave the subtree, to see them.'

interface EventRowProps {
  readonly event: TraceEvent
  readonly originUs: number
  /** Absent when the event names no span of the trace. */
  readonly spanName: string | undefined
  readonly isSelected: boolean
  readonly onReveal: (spanId: string) => void
}

function EventRow({ event, originUs, spanName, isSelected, onReveal }: EventRowProps) {
  const { atUs, spanId, tone, category } = event
  return (
    <tr data-event={event.kind} data-selected={isSelected}>
      <td data-number className="soft" title={atUs === null ? undefined : formatDateTime(atUs / 1000)}>
        {atUs === null ? '–' : formatOffset(atUs - originUs)}
      </td>
      <td>
        <span className={styles.kind} data-tone={tone}>
          <Glyph name={event.glyph} />
          <bdi>{event.word}</bdi>
        </span>
      </td>
      <td>{event.service !== null && <ServiceName service={event.service} />}</td>
      <th scope="row" className={styles.text} title={event.text}>
        {category !== null && <bdi className="mono faint">{category} </bdi>}
        <a href={event.href} data-tone={event.kind === 'error' ? 'bad' : undefined}>
          <bdi>{event.text === '' ? (category ?? event.word) : event.text}</bdi>
        </a>
      </th>
      <td className={styles.span}>
        {spanId !== null && spanName !== undefined && (
          <button
            type="button"
            title={`Show in the waterfall: ${printable(spanName)}`}
            onClick={() => onReveal(spanId)}
          >
            <Received text={spanName} />
          </button>
        )}
      </td>
    </tr>
  )
}
