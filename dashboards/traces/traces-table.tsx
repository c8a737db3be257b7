'use client'

import { memo } from 'react'
import { formatCount, formatDurationUs, plural } from '../../lib/format'
import type { TraceSummary } from '../../lib/wire/trace'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import list from '../ui/list-table.module.css'
import { type Narrow, NarrowButton } from '../ui/narrow-button'
import { Received, ServiceName } from '../ui/received'
import { durationShare } from './duration-share'
import styles from './traces-table.module.css'

interface TracesTableProps {
  readonly traces: readonly TraceSummary[]
  readonly onNarrow: Narrow
}

export function TracesTable({ traces, onNarrow }: TracesTableProps) {
  const longestUs = traces.reduce((longest, trace) => Math.max(longest, trace.durationUs), 0)
  return (
    <table className={`${list.table} ${styles.table}`}>
      <caption className="visually-hidden">Traces, newest arrival first</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" className={styles.id}>
            Trace
          </th>
          <th scope="col" className={styles.services}>
            Services
          </th>
          <th
            scope="col"
            className={`${list.right} ${styles.age}`}
            title="When the trace began; the list is in the order of arrival, the newest first"
          >
            Age
          </th>
          <th
            scope="col"
            className={styles.duration}
            title="The bars are logarithmic: a quarter of the width is ten times as long"
          >
            Duration
          </th>
          <th scope="col" className={`${list.right} ${styles.spans}`}>
            Spans
          </th>
          <th scope="col" className={styles.errors}>
            Errors
          </th>
          <th scope="col" className={styles.status}>
            Delivery
          </th>
        </tr>
      </thead>
      <tbody>
        {traces.map((trace) => (
          <TraceRow
            key={trace.traceId}
            trace={trace}
            share={durationShare(trace.durationUs, longestUs)}
            onNarrow={onNarrow}
          />
        ))}
      </tbody>
    </table>
  )
}

interface TraceRowProps {
  readonly trace: TraceSummary
  readonly share: number
  readonly onNarrow: Narrow
}

const TraceRow = memo(function TraceRow({ trace, share, onNarrow }: TraceRowProps) {
  return (
    <tr data-trace={trace.traceId}>
      <td>
        <a data-row-link href={`/traces/${trace.traceId}`}>
          <Received text={trace.name} />
        </a>{' '}
        {trace.op !== null && (
          <NarrowButton name="op" value={trace.op} onNarrow={onNarrow}>
            <Received className={styles.op} text={trace.op} />
          </NarrowButton>
        )}
        {trace.copy === 'only' && <span className={list.mark}>seen, not sent</span>}
      </td>
      <td className={`mono ${styles.idCell}`} title={trace.traceId}>
        {trace.traceId.slice(0, 8)}
      </td>
      <td>
        <span className={styles.serviceList}>
          {trace.services.map((service) => (
            <NarrowButton key={service} name="service" value={service} onNarrow={onNarrow}>
              <ServiceName service={service} />
            </NarrowButton>
          ))}
        </span>
      </td>
      <td className={list.right}>
        <Age atMs={trace.startUs / 1000} />
      </td>
      <td>
        <span className={styles.durationCell}>
          <span className="num">{trace.spanCount === 0 ? '–' : formatDurationUs(trace.durationUs)}</span>
          <span className={styles.track} aria-hidden="true">
            <span className={styles.bar} style={{ width: `${share * 100}%` }} />
          </span>
        </span>
      </td>
      <td className={`${list.right} num`} title={plural(trace.segmentCount, 'segment')}>
        {formatCount(trace.spanCount)}
      </td>
      <td>
        {trace.errorCount > 0 ? (
          <span className={styles.error}>
            <span aria-hidden="true">✕ </span>
            {plural(trace.errorCount, 'error')}
          </span>
        ) : (
          trace.status === 'error' && <span className={styles.failed}>failed</span>
        )}
      </td>
      <td>
        <DeliveryStatusMark deliveryStatus={trace.deliveryStatus} />
      </td>
    </tr>
  )
})
