import { printable } from '../ui/printable'
import { WAY_LEGEND, type Way, type WayStep } from './delivery-progress'
import styles from './way-mark.module.css'

/** Stored, digested, posted, decided: four marks on a line, and the furthest in a word. */
export function WayMark({ way }: { readonly way: Way }) {
  return (
    <span className={styles.way} title={printable(way.means)}>
      <svg className={styles.line} aria-hidden="true" viewBox="0 0 50 12" width="50" height="12">
        <path d="M5 6h40" className={styles.track} />
        {way.steps.map((step, at) => (
          <Mark key={step.name} step={step} x={5 + at * 13.3} />
        ))}
      </svg>
      <span aria-hidden="true">{way.word}</span>
      <span className="visually-hidden">{printable(way.means)}</span>
    </span>
  )
}

/** What the four marks are, and what their shapes say. */
export function WayLegend({ className }: { readonly className: string | undefined }) {
  return (
    <div className={className} data-way-legend>
      <span>State: stored, digested, posted, decided.</span>
      {WAY_LEGEND.map(({ state, means }) => (
        <span key={state} className={styles.way}>
          <svg aria-hidden="true" viewBox="0 0 12 12" width="12" height="12">
            <Mark step={{ state }} x={6} />
          </svg>
          {means}
        </span>
      ))}
    </div>
  )
}

/** The shape says what the colour says: a full disk, a ring, a cross, a short stroke. */
function Mark({ step, x }: { readonly step: Pick<WayStep, 'state'>; readonly x: number }) {
  if (step.state === 'failed')
    return <path data-state="failed" d={`M${x - 2.5} 3.5l5 5M${x + 2.5} 3.5l-5 5`} className={styles.mark} />
  if (step.state === 'skipped') return <path data-state="skipped" d={`M${x - 2} 6h4`} className={styles.mark} />
  return <circle data-state={step.state} cx={x} cy="6" r="3" className={styles.mark} />
}
