import type { EventSummary } from '../../lib/wire/event'
import type { Span } from '../../lib/wire/trace'
import { printable } from '../ui/printable'
import { formatDuration } from '../ui/quantities'
import { seriesOf } from '../ui/services'
import { formatMoment } from '../ui/times'
import { barOf } from './bar'
import styles from './time-cell.module.css'
import { fractionOf, type TimeWindow, timedElsewhere } from './time-window'

interface TimeCellProps {
  readonly span: Span
  readonly window: TimeWindow
  readonly full: TimeWindow
  /** That name this span. */
  readonly errors: readonly EventSummary[]
  readonly failed: boolean
  readonly segment: boolean
  readonly orphan: boolean
}

const OUTSIDE = { before: '‹ earlier', after: 'later ›' } as const

const ANOTHER_CLOCK =
  'It lies a day or more away from this trace: its times count from something else, such as the start of its process.'

/** A span on the time axis: its bar, its duration where there is room, its errors at their time. */
export function TimeCell(props: TimeCellProps) {
  const { span, window } = props
  const bar = barOf(span, window)
  const elsewhere = timedElsewhere(span, props.full)
  const moment = formatMoment(span.startUs / 1000)
  return (
    <td
      className={styles.time}
      data-time
      data-series={seriesOf(span.service)}
      data-segment={props.segment}
      data-orphan={props.orphan}
    >
      {bar.outside === null ? (
        <div
          className={styles.bar}
          data-failed={props.failed}
          data-label={bar.label}
          style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%` }}
        />
      ) : (
        <span
          className={styles.outside}
          data-side={bar.outside}
          title={elsewhere ? `${ANOTHER_CLOCK} It says ${moment}.` : moment}
        >
          {elsewhere ? 'timed by another clock' : OUTSIDE[bar.outside]}
        </span>
      )}
      {bar.outside === null && (
        <span
          className={styles.duration}
          data-label={bar.label}
          style={
            bar.label === 'before'
              ? { right: `${(1 - bar.left) * 100}%` }
              : { left: `${(bar.label === 'after' ? bar.left + bar.width : Math.max(bar.left, 0)) * 100}%` }
          }
        >
          {formatDuration(span.endUs - span.startUs)}
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
