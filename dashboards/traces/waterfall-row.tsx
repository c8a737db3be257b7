'use client'

import { memo, type ReactNode } from 'react'
import { formatCount, formatDurationUs } from '../../lib/format'
import type { EventSummary } from '../../lib/wire/event'
import type { Segment } from '../../lib/wire/trace'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { Glyph } from '../ui/glyph'
import { seriesOfSpan } from '../ui/labels'
import { printable } from '../ui/printable'
import { ServiceName } from '../ui/received'
import { formatDateTime, formatOffset } from '../ui/times'
import { failed, shortName } from './span-facts'
import { type Interval, placeOf, type TimeWindow, timedElsewhere } from './time-axis'
import { type GroupRow, isFoldable, type SpanRow, type TreeRow } from './tree-rows'
import { HEAD_ROWS } from './waterfall-head'
import styles from './waterfall-row.module.css'

interface WaterfallRowProps {
  readonly row: TreeRow<TraceSpan>
  readonly origin: string | undefined
  readonly index: number
  readonly top: number
  readonly full: TimeWindow
  /** Of the segment whose own span this is. */
  readonly segment: Segment | undefined
  /** Times in which no child of the span ran. */
  readonly solid: readonly Interval[]
  /** Sections of the critical path that this row shows. */
  readonly path: readonly Interval[]
  readonly errors: ReadonlyMap<string, readonly EventSummary[]>
  /** Does the span match the search? */
  readonly isMatch: boolean
  /** Matches that the row hides. */
  readonly matchesBelow: number
  readonly atCursor: boolean
  readonly selected: boolean
}

/** Deeper spans are not indented further; `aria-level` still has their level. */
const DEEPEST_INDENT = 24

const OUTSIDE_PARENT =
  'Outside its parent, which belongs to another service: their clocks differ, or the parent did not wait for it.'
const ANOTHER_CLOCK =
  'A day or more away from this trace: its times count from something else, such as the start of its process.'

/** Bars are placed on a track as wide as the whole trace; the window moves the tracks of all rows. So zoom renders no row. */
export const WaterfallRow = memo(function WaterfallRow(props: WaterfallRowProps) {
  const { row } = props
  return (
    <tr
      id={`span-${row.id}`}
      data-span={row.kind === 'span' ? row.id : undefined}
      data-row={row.id}
      data-kind={row.kind}
      className={styles.row}
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-rowindex={props.index + 1 + HEAD_ROWS}
      aria-expanded={isFoldable(row) ? row.expanded : undefined}
      aria-selected={props.selected}
      data-cursor={props.atCursor}
      data-segment={props.segment !== undefined}
      data-match={props.isMatch || undefined}
      style={{ transform: `translateY(${props.top}px)` }}
    >
      <td className={styles.name} style={indentOf(row)}>
        {/* For the pointer only: the row has aria-expanded, and the arrow keys change it. */}
        {isFoldable(row) && <i className={styles.toggle} data-toggle aria-hidden="true" />}
        {row.kind === 'span' && <SpanName {...props} row={row} />}
        {row.kind === 'group' && <GroupName {...props} row={row} />}
        {row.kind === 'gap' && (
          <em className={styles.gapName}>no spans for {formatDurationUs(row.gap.endUs - row.gap.startUs)}</em>
        )}
        {props.matchesBelow > 0 && (
          <span className={styles.chip}>
            {formatCount(props.matchesBelow)}
            {props.matchesBelow === 1 ? ' hidden match' : ' hidden matches'}
          </span>
        )}
      </td>
      {row.kind === 'span' && <SpanTime {...props} row={row} />}
      {row.kind === 'group' && <GroupTime {...props} row={row} />}
      {row.kind === 'gap' && (
        <td className={styles.time} data-time>
          <div className={styles.track}>
            <div
              className={styles.gap}
              style={placeOf(row.gap, props.full)}
              title="The parent ran, and no span recorded what it did."
            />
            <Duration of={row.gap} full={props.full}>
              {formatDurationUs(row.gap.endUs - row.gap.startUs)}
            </Duration>
          </div>
        </td>
      )}
    </tr>
  )
})

const INDENT_PX = 14
const PADDING_PX = 12

/** A guide line for each level; a row without toggle has its place free. */
function indentOf(row: TreeRow<TraceSpan>): { readonly paddingInlineStart: number; readonly backgroundSize: string } {
  const width = Math.min(row.depth, DEEPEST_INDENT) * INDENT_PX
  const toggle = isFoldable(row) ? 0 : INDENT_PX + 4
  return { paddingInlineStart: PADDING_PX + width + toggle, backgroundSize: `${width}px 100%` }
}

interface SpanCellProps extends Omit<WaterfallRowProps, 'row'> {
  readonly row: SpanRow<TraceSpan>
}

function SpanName({ row, segment, errors, origin }: SpanCellProps) {
  const { span, orphan, skewed } = row.node
  const mine = errors.get(row.id)?.length ?? 0
  const below = row.hidden.reduce((sum, { span: one }) => sum + (errors.get(one.spanId)?.length ?? 0), 0)
  const isFailed = failed(span.status)
  return (
    <>
      {segment !== undefined && (
        <strong className={styles.service}>
          <ServiceName service={span.service} />
        </strong>
      )}
      {span.op !== null && span.op !== span.name && (
        <bdi className={styles.op} title={printable(span.op)}>
          {printable(span.op)}
        </bdi>
      )}
      <bdi className={styles.title} title={printable(span.name)} data-failed={isFailed || mine > 0}>
        {printable(shortName(span.name, origin))}
      </bdi>
      {row.hidden.length > 0 && <span className={styles.hidden}>+{formatCount(row.hidden.length)}</span>}
      {orphan && (
        <Flag sign="⇡" title="Its parent has not arrived: it may still arrive, or was never recorded.">
          no parent
        </Flag>
      )}
      {skewed && (
        <Flag sign="↔" title={OUTSIDE_PARENT}>
          outside parent
        </Flag>
      )}
      {span.movedUs !== undefined && segment !== undefined && (
        <Flag sign="↔" title={`Moved by ${formatOffset(span.movedUs)}: another clock timed it.`}>
          moved
        </Flag>
      )}
      {span.isOpen && (
        <Flag sign="…" title="It was sent without an end, so it has no duration: it was still open.">
          still open
        </Flag>
      )}
      {span.isRepeated && (
        <Flag sign="×2" title="It was sent several times. The occurrence that ends last is shown.">
          sent again
        </Flag>
      )}
      {span.pill !== undefined && <span className={styles.chip}>{printable(span.pill)}</span>}
      {span.httpStatus !== null && span.httpStatus >= 400 && (
        <span className={styles.chip} data-tone={span.httpStatus >= 500 ? 'bad' : 'warn'}>
          {span.httpStatus}
        </span>
      )}
      {isFailed && (
        <span className={styles.bad} title={`status ${printable(span.status ?? '')}`}>
          {mine + below > 0 || (span.httpStatus ?? 0) >= 400 ? (
            <span className="visually-hidden">failed</span>
          ) : (
            'failed'
          )}
        </span>
      )}
      {mine + below > 0 && (
        <span className={styles.bad}>
          <span aria-hidden="true">✕ </span>
          {formatCount(mine + below)}
          <span className={styles.word}>{mine + below === 1 ? ' error' : ' errors'}</span>
        </span>
      )}
      {segment !== undefined && !FINE.has(segment.deliveryStatus.name) && (
        <DeliveryStatusMark deliveryStatus={segment.deliveryStatus} />
      )}
    </>
  )
}

/** Delivery states that need no word in a row. */
const FINE: ReadonlySet<string> = new Set(['accepted', 'kept'])

const Flag = (props: { readonly sign: string; readonly title: string; readonly children: ReactNode }) => (
  <span className={styles.flag} title={props.title}>
    <span aria-hidden="true">{props.sign}</span>
    <span className={styles.word}> {props.children}</span>
  </span>
)

interface GroupCellProps extends Omit<WaterfallRowProps, 'row'> {
  readonly row: GroupRow<TraceSpan>
}

function GroupName({ row: { group }, origin }: GroupCellProps) {
  return (
    <>
      <strong className={styles.many}>{formatCount(group.memberIds.length)} ×</strong>
      {group.op !== null && (
        <bdi className={styles.op} title={printable(group.op)}>
          {printable(group.op)}
        </bdi>
      )}
      <bdi className={styles.title} title={printable(group.name)}>
        {printable(shortName(group.name, origin))}
      </bdi>
      {group.isNPlusOne && (
        <span
          className={styles.chip}
          data-tone="warn"
          title="One query after another, each with other values: one query for all of them would do (N+1)."
        >
          N+1
        </span>
      )}
    </>
  )
}

function SpanTime({ row, full, solid, path, errors }: SpanCellProps) {
  const { span, orphan } = row.node
  const mine = errors.get(row.id) ?? []
  const elsewhere = timedElsewhere(span, full)
  if (elsewhere)
    return (
      <td className={styles.time} data-time data-elsewhere>
        <span
          className={styles.elsewhere}
          title={`${ANOTHER_CLOCK} It reports ${formatDateTime(span.startUs / 1000)}.`}
        >
          timed by another clock
        </span>
      </td>
    )
  return (
    <td
      className={styles.time}
      data-time
      data-series={seriesOfSpan(span)}
      data-orphan={orphan}
      data-failed={failed(span.status) || mine.length > 0}
      data-marked={mine.length > 0}
    >
      <div className={styles.track}>
        <div
          className={styles.bar}
          data-solid={solid[0]?.endUs === span.endUs && solid[0].startUs === span.startUs}
          style={placeOf(span, full)}
        >
          {solid[0]?.endUs !== span.endUs && <Intervals className={styles.solid} intervals={solid} full={span} />}
        </div>
        <Intervals className={styles.path} intervals={path} full={full} />
        <Duration of={span} full={full}>
          {span.isOpen ? 'no end' : formatDurationUs(span.endUs - span.startUs)}
        </Duration>
        {mine.map(({ eventId, timestampUs, title }) => (
          <span
            key={eventId}
            className={styles.error}
            style={{ left: placeOf({ startUs: timestampUs, endUs: timestampUs }, full).left }}
            title={printable(title)}
            aria-hidden="true"
          >
            <Glyph name="error" />
          </span>
        ))}
      </div>
    </td>
  )
}

/** Members of a group beyond these are not drawn one by one. */
const MOST_MEMBERS = 60

function GroupTime({ row: { group, members }, full, path }: GroupCellProps) {
  const drawn = members.slice(0, MOST_MEMBERS).map(({ span }) => span)
  return (
    <td className={styles.time} data-time data-series={seriesOfSpan(group)} data-group>
      <div className={styles.track}>
        {members.length > MOST_MEMBERS && <div className={styles.bar} style={placeOf(group, full)} />}
        <Intervals className={styles.member} intervals={drawn} full={full} />
        <Intervals className={styles.path} intervals={path} full={full} />
        <Duration of={group} full={full}>
          <strong>{formatDurationUs(group.totalUs)}</strong> total, slowest {formatDurationUs(group.slowestUs)}
        </Duration>
      </div>
    </td>
  )
}

interface IntervalsProps {
  readonly className: string | undefined
  readonly intervals: readonly Interval[]
  readonly full: TimeWindow
}

const Intervals = ({ className, intervals, full }: IntervalsProps) =>
  intervals.map((one) => <i key={`${one.startUs} ${one.endUs}`} className={className} style={placeOf(one, full)} />)

interface DurationProps {
  readonly of: Interval
  readonly full: TimeWindow
  readonly children: ReactNode
}

/** A label at the end of a bar. The window decides on which side, so its row does not: see `Waterfall`. */
const Duration = ({ of, full, children }: DurationProps) => (
  <span className={styles.duration} style={{ left: placeOf({ startUs: of.endUs, endUs: of.endUs }, full).left }}>
    {children}
  </span>
)
