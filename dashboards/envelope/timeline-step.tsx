import type { ReactNode } from 'react'
import { formatClock, formatMoment } from '../ui/times'
import styles from './delivery-timeline.module.css'

interface TimelineStepProps {
  /** ms since the epoch; `null` where it has no time, for it has not been yet. */
  readonly at: number | null
  readonly tone: string
  readonly children: ReactNode
}

/** One moment on the line of time. */
export function TimelineStep({ at, tone, children }: TimelineStepProps) {
  return (
    <li className={styles.step} data-tone={tone}>
      <span className={styles.time} title={at === null ? undefined : formatMoment(at)}>
        {at === null ? '' : formatClock(at)}
      </span>
      <div className={styles.what}>{children}</div>
    </li>
  )
}
