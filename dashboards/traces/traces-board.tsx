'use client'

import { useCallback, useMemo, useState } from 'react'
import { formatCount, formatDurationUs, plural } from '../../lib/format'
import type { TraceSummary } from '../../lib/wire/trace'
import { Empty, FirstSteps } from '../ui/board'
import { client } from '../ui/client'
import { ShortSecond } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { HoverTools, IconButton } from '../ui/facts'
import { Glyph } from '../ui/glyph'
import { useKeys } from '../ui/keys'
import { comparisonHref } from '../ui/links'
import { type Column, ListTable, type Narrow, NarrowButton, RowMark } from '../ui/list-table'
import { LiveList } from '../ui/live-list'
import { navigate } from '../ui/navigation'
import { printable } from '../ui/printable'
import { Received, ServiceName } from '../ui/received'
import { formatDateTime } from '../ui/times'
import type { ListSource } from '../ui/use-live-list'
import { DroppedFile } from './dropped-file'
import styles from './traces-board.module.css'

/** `/traces`: the recorded traces, newest first. */
export function TracesBoard() {
  // Kept while a filter shows no rows.
  const marking = useState<TraceSummary | null>(null)
  return (
    <DroppedFile>
      {(pick) => (
        <LiveList
          title="Traces"
          noun="traces"
          source={SOURCE}
          filterHint="text, op:pageload, duration:>250ms …"
          actions={[{ label: 'Open a trace file …', onClick: pick }]}
          moreKeys={KEYS}
          empty={<NoTraces />}
          table={(traces, narrow) => <TracesTable traces={traces} narrow={narrow} marking={marking} />}
        />
      )}
    </DroppedFile>
  )
}

const KEYS = [{ keys: ['c'], does: 'mark the row, then another one: compare the two' }]

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

interface TracesTableProps {
  readonly traces: readonly TraceSummary[]
  readonly narrow: Narrow
  /** The trace with which another one will be compared, and how to change it. */
  readonly marking: readonly [TraceSummary | null, (trace: TraceSummary | null) => void]
}

function TracesTable({ traces, narrow, marking: [marked, mark] }: TracesTableProps) {
  const longestUs = traces.reduce((longest, trace) => Math.max(longest, trace.durationUs), 0)
  const compare = useCallback(
    (trace: TraceSummary): void => {
      if (marked === null) mark(trace)
      else if (marked.traceId === trace.traceId) mark(null)
      else navigate(comparisonHref(trace.traceId, marked.traceId))
    },
    [marked, mark],
  )
  useKeys({
    c: () => {
      const id = document.activeElement?.closest<HTMLElement>('tr[data-trace]')?.dataset.trace
      const trace = traces.find(({ traceId }) => traceId === id)
      if (trace !== undefined) compare(trace)
      return trace !== undefined
    },
  })
  const columns = useMemo(() => columnsFor(longestUs, marked, compare), [longestUs, marked, compare])
  return (
    <>
      <ListTable
        caption="Traces, newest arrival first"
        className={styles.table}
        columns={columns}
        rows={traces}
        keyOf={SOURCE.keyOf}
        rowProps={rowProps}
        narrow={narrow}
      />
      <div className={styles.marked} aria-live="polite">
        {marked !== null && (
          <p>
            <span>
              Compare with <Received text={nameOf(marked)} />: press <kbd>c</kbd> on another trace, or its button{' '}
              <Glyph name="compare" />.
            </span>
            <button type="button" className="button" onClick={() => mark(null)}>
              Cancel
            </button>
          </p>
        )}
      </div>
    </>
  )
}

const nameOf = ({ name, startUs }: TraceSummary): string => `${name} of ${formatDateTime(startUs / 1000)}`

const rowProps = (trace: TraceSummary) => ({ 'data-trace': trace.traceId })

const columnsFor = (
  longestUs: number,
  marked: TraceSummary | null,
  compare: (trace: TraceSummary) => void,
): readonly Column<TraceSummary>[] => [
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
    cellClass: styles.nameCell,
    cell: (trace, narrow) => {
      const { traceId, name, op, copy } = trace
      const isMarked = marked?.traceId === traceId
      return (
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
          <HoverTools>
            <IconButton
              glyph="compare"
              label={marked === null || isMarked ? 'Compare with …' : `Compare with ${printable(nameOf(marked))}`}
              isPressed={isMarked}
              isTabStop={false}
              onPress={() => compare(trace)}
            />
          </HoverTools>
        </>
      )
    },
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
