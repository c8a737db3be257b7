import { printable } from '../../words/printable'
import { formatCount, plural } from '../../words/quantities'
import type { Mark, Marks } from '../arrange/marks'
import type { PanelPart } from '../url/trace-address'
import styles from './marks-lane.module.css'

interface MarksLaneProps {
  readonly marks: Marks
  readonly onShow: (part: PanelPart) => void
}

/** Errors and breadcrumbs at their time, on the same axis as the spans. */
export function MarksLane({ marks, onShow }: MarksLaneProps) {
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
            <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
              <path d="M2 2l6 6M8 2L2 8" />
            </svg>
          )}
        </button>
      ))}
      {marks.earlier > 0 && <span className={styles.earlier}>‹ {formatCount(marks.earlier)} earlier</span>}
      {marks.later > 0 && <span className={styles.later}>{formatCount(marks.later)} later ›</span>}
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
