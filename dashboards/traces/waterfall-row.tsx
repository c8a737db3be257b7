'use client'

import { memo } from 'react'
import { formatCount, formatDurationUs } from '../../lib/format'
import type { EventSummary } from '../../lib/wire/event'
import type { Segment, Span } from '../../lib/wire/trace'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { seriesOf } from '../ui/labels'
import { printable } from '../ui/printable'
import { Received, ServiceName } from '../ui/received'
import { formatDateTime } from '../ui/times'
import { failed, shortName } from './span-facts'
import { barOf, fractionOf, type TimeWindow, timedElsewhere } from './time-axis'
import type { TreeRow } from './tree-rows'
import { HEAD_ROWS } from './waterfall-head'
import styles from './waterfall-row.module.css'

interface WaterfallRowProps {
  readonly row: TreeRow<Span>
  readonly origin: string | undefined
  readonly index: number
  readonly top: number
  readonly window: TimeWindow
  readonly full: TimeWindow
  readonly segment: Segment | undefined
  /** Of a segment, or of a span that another SDK recorded than its parent. */
  readonly sdk: string | undefined
  readonly errors: ReadonlyMap<string, readonly EventSummary[]>
  readonly atCursor: boolean
  readonly selected: boolean
}

/** Deeper spans are not indented further; `aria-level` still has their level. */
const DEEPEST_INDENT = 24

const OUTSIDE_PARENT =
  'Outside its parent, which belongs to another service: their clocks differ, or the parent did not wait for it.'

export const WaterfallRow = memo(function WaterfallRow(props: WaterfallRowProps) {
  const { row, segment, errors, window } = props
  const { span, depth, orphan, children } = row.node
  const mine = errors.get(row.id) ?? []
  const below = row.hidden.reduce((sum, id) => sum + (errors.get(id)?.length ?? 0), 0)
  const bad = failed(span.status)
  return (
    <tr
      id={`span-${row.id}`}
      data-span={row.id}
      className={styles.row}
      aria-level={depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-rowindex={props.index + 1 + HEAD_ROWS}
      aria-expanded={children.length === 0 ? undefined : row.expanded}
      aria-selected={props.selected}
      data-cursor={props.atCursor}
      data-segment={segment !== undefined}
      style={{ transform: `translateY(${props.top}px)` }}
    >
      <td className={styles.name}>
        <span className={styles.indent} style={{ width: `${Math.min(depth, DEEPEST_INDENT) * 0.875}rem` }} />
        {children.length > 0 ? (
          // For the pointer only: the row has aria-expanded, and the arrow keys change it.
          <span className={styles.toggle} data-toggle aria-hidden="true">
            <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
              <path d={row.expanded ? 'M1.5 3.5 5 7l3.5-3.5' : 'M3.5 1.5 7 5 3.5 8.5'} />
            </svg>
          </span>
        ) : (
          <span className={styles.leaf} />
        )}
        {(segment !== undefined || props.sdk !== undefined) && (
          <span className={styles.service}>
            <ServiceName service={span.service} />
          </span>
        )}
        {span.op !== null && span.op !== span.name && (
          <span className={styles.op} title={printable(span.op)}>
            <Received text={span.op} />
          </span>
        )}
        <span className={styles.title} title={printable(span.name)}>
          <Received text={shortName(span.name, props.origin)} />
        </span>
        {row.hidden.length > 0 && <span className={styles.hidden}>+{formatCount(row.hidden.length)}</span>}
        {orphan && (
          <span className={styles.flag} title="Its parent has not arrived: it may still arrive, or was never recorded.">
            <span aria-hidden="true">⇡</span>
            <span className={styles.word}> no parent</span>
          </span>
        )}
        {row.node.skewed && (
          <span className={styles.flag} title={OUTSIDE_PARENT}>
            <span aria-hidden="true">↔</span>
            <span className={styles.word}> outside parent</span>
          </span>
        )}
        {bad && (
          <span className={styles.bad} title={`status ${printable(span.status ?? '')}`}>
            {mine.length + below > 0 ? <span className={styles.word}>failed</span> : 'failed'}
          </span>
        )}
        {mine.length + below > 0 && (
          <span className={styles.bad}>
            <span aria-hidden="true">✕ </span>
            {formatCount(mine.length + below)}
            <span className={styles.word}>{mine.length + below === 1 ? ' error' : ' errors'}</span>
          </span>
        )}
      </td>
      <TimeCell
        span={span}
        window={window}
        full={props.full}
        errors={mine}
        failed={bad || mine.length > 0}
        segment={segment !== undefined}
        orphan={orphan}
      />
      <td className={styles.sdk} title={props.sdk === undefined ? undefined : printable(props.sdk)}>
        {props.sdk !== undefined && <Received text={props.sdk} />}
      </td>
      <td className={styles.status}>
        {segment !== undefined && <DeliveryStatusMark deliveryStatus={segment.deliveryStatus} />}
      </td>
    </tr>
  )
})

interface TimeCellProps {
  readonly span: Span
  readonly window: TimeWindow
  readonly full: TimeWindow
  readonly errors: readonly EventSummary[]
  readonly failed: boolean
  readonly segment: boolean
  readonly orphan: boolean
}

const OUTSIDE = { before: '‹ earlier', after: 'later ›' } as const

const ANOTHER_CLOCK =
  'A day or more away from this trace: its times count from something else, such as the start of its process.'

function TimeCell(props: TimeCellProps) {
  const { span, window } = props
  const bar = barOf(span, window)
  const elsewhere = timedElsewhere(span, props.full)
  const outside = elsewhere ? (bar.outside ?? 'before') : bar.outside
  const time = formatDateTime(span.startUs / 1000)
  return (
    <td
      className={styles.time}
      data-time
      data-series={seriesOf(span.service)}
      data-segment={props.segment}
      data-orphan={props.orphan}
    >
      {outside === null ? (
        <div
          className={styles.bar}
          data-failed={props.failed}
          data-label={bar.label}
          style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%` }}
        />
      ) : (
        <span
          className={styles.outside}
          data-side={outside}
          title={elsewhere ? `${ANOTHER_CLOCK} It reports ${time}.` : time}
        >
          {elsewhere ? 'timed by another clock' : OUTSIDE[outside]}
        </span>
      )}
      {outside === null && (
        <span
          className={styles.duration}
          data-label={bar.label}
          style={
            bar.label === 'before'
              ? { right: `${(1 - bar.left) * 100}%` }
              : { left: `${(bar.label === 'after' ? bar.left + bar.width : Math.max(bar.left, 0)) * 100}%` }
          }
        >
          {formatDurationUs(span.endUs - span.startUs)}
        </span>
      )}
      {props.errors.map((error) => (
        <ErrorGlyph key={error.eventId} fraction={fractionOf(window, error.timestampUs)} title={error.title} />
      ))}
    </td>
  )
}

function ErrorGlyph({ fraction, title }: { readonly fraction: number; readonly title: string }) {
  if (fraction < 0 || fraction > 1) return null
  return (
    <span className={styles.error} style={{ left: `${fraction * 100}%` }} title={printable(title)} aria-hidden="true">
      <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
        <path d="M2 2l6 6M8 2L2 8" />
      </svg>
    </span>
  )
}
