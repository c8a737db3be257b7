import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format'
import { Glyph } from './glyph'
import styles from './list-bar.module.css'
import menu from './menu.module.css'

interface LiveControlsProps {
  readonly noun: 'activity' | 'rows'
  /** New rows or visits that wait while someone reads. */
  readonly newCount: number
  /** There are more than are counted. */
  readonly isAtLeast?: boolean
  readonly onReveal: () => void
  readonly isPaused: boolean
  readonly onPause: (isPaused: boolean) => void
  /** Behind the word of the pause. */
  readonly children?: ReactNode
}

/** A button that shows what is new, while something is, and one that stops a live list for this viewer. */
export const LiveControls = ({
  noun,
  newCount,
  isAtLeast,
  onReveal,
  isPaused,
  onPause,
  children,
}: LiveControlsProps) => (
  <>
    <span aria-live="polite">
      {newCount > 0 && (
        <button type="button" className={styles.new} title={`Show new ${noun} (n)`} onClick={onReveal}>
          {isAtLeast === true && 'more than '}
          {formatCount(newCount)} new
          <Glyph name="newer" />
        </button>
      )}
    </span>
    <button
      type="button"
      className={menu.trigger}
      aria-pressed={isPaused}
      title="Stops this list for you; the collector goes on recording (p)"
      onClick={() => onPause(!isPaused)}
    >
      <Glyph name={isPaused ? 'play' : 'pause'} />
      {isPaused ? 'Resume' : 'Pause'}
      {children}
    </button>
  </>
)
