'use client'

import { useMemo } from 'react'
import { formatCount, formatDurationUs, plural } from '../../lib/format'
import type { TraceSummary } from '../../lib/wire/trace'
import { Empty, FirstSteps } from '../ui/board'
import { client } from '../ui/client'
import { ShortSecond } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { Glyph } from '../ui/glyph'
import { type Column, ListTable, type Narrow, NarrowButton, RowMark } from '../ui/list-table'
import { LiveList } from '../ui/live-list'
import { Received, ServiceName } from '../ui/received'
import type { ListSource } from '../ui/use-live-list'
import { DroppedFile } from './dropped-file'
import styles from './traces-board.module.css'

/** `/traces`: the recorded traces, newest first. */
export function TracesBoard() {
  return (
    <DroppedFile>
      {(pick) => (
        <LiveList
          title="Traces"
          noun="traces"
          source={SOURCE}
          filterHint="text, op:pageload, duration:>250ms …"
          actions={[{ label: 'Open a trace file …', onClick: pick }]}
          empty={<NoTraces />}
          table={(traces, narrow) => <TracesTable traces={traces} narrow={narrow} />}
        />
      )}
    </DroppedFile>
  )
}

const SOURCE: ListSource<TraceSummary> = {
  list: 'traces',
  readPage: async (request) => {
    const page = await client.traces(request)
    return { rows: page.traces, next: page.next, head: page.journal, leftOut: page.leftOut }
  },
  keyOf: (trace) => trace.traceId,
  orderOf: (trace) => trace.journal,
  // A received envelope becomes a trace when it is digested; a refused one never does.
  concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
}

function TracesTable({ traces, narrow }: { readonly traces: readonly TraceSummary[]; readonly narrow: Narrow }) {
  const longestUs = traces.reduce((longest, trace) => Math.max(longest, trace.durationUs), 0)
  const columns = useMemo(() => columnsFor(longestUs), [longestUs])
  return (
    <ListTable
      caption="Traces, newest arrival first"
      className={styles.table}
      columns={columns}
      rows={traces}
      keyOf={SOURCE.keyOf}
      rowProps={rowProps}
      narrow={narrow}
    />
  )
}

const rowProps = (trace: TraceSummary) => ({ 'data-trace': trace.traceId })

const columnsFor = (longestUs: number): readonly Column<TraceSummary>[] => [
  {
    heading: 'Started',
    title: 'The list is in order of arrival, newest first.',
    headingClass: styles.started,
    cellClass: `num ${styles.startedCell}`,
    cellProps: ({ traceId }) => ({ title: `trace ${traceId}` }),
    cell: ({ startUs }) => <ShortSecond atMs={startUs / 1000} />,
  },
  {
    heading: 'Name',
    cell: ({ traceId, name, op, copy }, narrow) => (
      <>
        <a data-row-link href={`/traces/${traceId}`}>
          <Received text={name} />
        </a>{' '}
        {op !== null && (
          <NarrowButton name="op" value={op} narrow={narrow}>
            <Received className={styles.op} text={op} />
          </NarrowButton>
        )}
        {copy === 'only' && <RowMark>copy only</RowMark>}
      </>
    ),
  },
  {
    heading: 'Services',
    headingClass: styles.services,
    cell: ({ services }, narrow) => (
      <span className={styles.serviceList}>
        {services.map((service) => (
          <NarrowButton key={service} name="service" value={service} narrow={narrow}>
            <ServiceName service={service} />
          </NarrowButton>
        ))}
      </span>
    ),
  },
  {
    heading: 'Duration',
    title: 'Logarithmic bars: a quarter of the width is a factor of ten.',
    headingClass: styles.duration,
    cell: ({ spanCount, durationUs }) => (
      <span className={styles.durationCell}>
        <span className="num">{spanCount === 0 ? '–' : formatDurationUs(durationUs)}</span>
        <span className={styles.track} aria-hidden="true">
          <span className={styles.bar} style={{ width: `${durationShare(durationUs, longestUs) * 100}%` }} />
        </span>
      </span>
    ),
  },
  {
    heading: 'Spans',
    right: true,
    headingClass: styles.spans,
    cellClass: `num ${styles.spansCell}`,
    cellProps: ({ spanCount, segmentCount }) => ({
      title: `${plural(spanCount, 'span')} in ${plural(segmentCount, 'segment')}`,
    }),
    cell: ({ spanCount }) => formatCount(spanCount),
  },
  {
    heading: 'Errors',
    headingClass: styles.errors,
    cell: ({ errorCount, status }, narrow) =>
      errorCount > 0 ? (
        <span className={styles.error} title={plural(errorCount, 'error')}>
          <Glyph name="error" />
          {formatCount(errorCount)}
          <span className="visually-hidden"> {errorCount === 1 ? 'error' : 'errors'}</span>
        </span>
      ) : (
        status === 'error' && (
          <NarrowButton name="status" value={status} narrow={narrow} says="failed">
            <span className={styles.failed}>failed</span>
          </NarrowButton>
        )
      ),
  },
  {
    heading: 'Delivery',
    headingClass: styles.status,
    cell: ({ deliveryStatus }) => <DeliveryStatusMark deliveryStatus={deliveryStatus} quiet />,
  },
]

/** The bar covers this many powers of ten; shorter durations have no bar. */
const DECADES = 4

/** The length of a duration bar, 0 to 1. Logarithmic, because one long trace would hide the bars of all others. */
export function durationShare(durationUs: number, longestUs: number): number {
  if (longestUs <= 0 || durationUs <= 0) return 0
  return Math.min(1, Math.max(0, 1 + Math.log10(durationUs / longestUs) / DECADES))
}

function NoTraces() {
  return (
    <Empty title="No traces yet" what="list">
      <p>A browser sends its page load about two seconds after it started. To get a first trace:</p>
      <FirstSteps lab=" and press any button. The lab links to the resulting trace." />
    </Empty>
  )
}
