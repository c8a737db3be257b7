import { printable } from '../ui/printable'
import { formatCount, plural } from '../ui/quantities'
import type { Mark, Marks } from './marks'
import styles from './marks-lane.module.css'
import type { PanelPart } from './trace-address'

interface MarksLaneProps {
  readonly marks: Marks
  readonly onShow: (part: PanelPart) => void
  /** The reader wants what lies outside the window. */
  readonly onEdge: () => void
}

/** Errors and breadcrumbs at their time, on the same axis as the spans. */
export function MarksLane({ marks, onShow, onEdge }: MarksLaneProps) {
  return (
    <div className={styles.lane}>
      {marks.marks.map((mark) => (
        <button
          key={mark.fraction}
          type="button"
          tabIndex={-1}
          className={mark.errors.length > 0 ? styles.error : styles.breadcrumb}
          style={{ left: `${mark.fraction * 100}%` }}
          title={titleOf(mark)}
          aria-label={titleOf(mark)}
          onClick={() => onShow(mark.errors.length > 0 ? 'errors' : 'breadcrumbs')}
        >
          {mark.errors.length > 0 && (
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
              <circle cx="8" cy="8" r="7.5" />
              <path d="M5.5 5.5l5 5M10.5 5.5l-5 5" />
            </svg>
          )}
        </button>
      ))}
      {marks.earlier > 0 && (
        <button type="button" className={styles.earlier} onClick={onEdge}>
          ‹ {formatCount(marks.earlier)} earlier
        </button>
      )}
      {marks.later > 0 && (
        <button type="button" className={styles.later} onClick={onEdge}>
          {formatCount(marks.later)} later ›
        </button>
      )}
    </div>
  )
}

function titleOf({ errors, breadcrumbs }: Mark): string {
  const lines = [
    ...errors.map((error) => error.title),
    ...breadcrumbs.slice(0, 8).map(({ category, message }) => [category, message].filter(Boolean).join(': ')),
  ].map((line) => printable(line))
  if (breadcrumbs.length > 8) lines.push(`and ${plural(breadcrumbs.length - 8, 'more breadcrumb')}`)
  return lines.join('\n')
}
