import styles from './plot-axis.module.css'
import { type PlotWindow, percentAt, ticksOf } from './plot-time'
import { formatClock } from './times'

interface AxisProps {
  readonly window: PlotWindow
}

/** The grid lines of a lane, in an SVG whose widths are percent. */
export const PlotGrid = ({ window }: AxisProps) =>
  ticksOf(window).map((atMs) => {
    const x = `${percentAt(window, atMs)}%`
    return <line key={atMs} className={styles.grid} x1={x} x2={x} y1="0" y2="100%" />
  })

/** A label too near to an edge would be cut. */
const EDGE_PERCENT = 4

/** The times below the lanes, to the minute. */
export const PlotTimes = ({ window }: AxisProps) => (
  <svg className={styles.times} aria-hidden="true" width="100%" height="16">
    {ticksOf(window)
      .map((atMs) => ({ atMs, x: percentAt(window, atMs) }))
      .filter(({ x }) => x > EDGE_PERCENT && x < 100 - EDGE_PERCENT)
      .map(({ atMs, x }) => (
        <text key={atMs} x={`${x}%`} y="12" textAnchor="middle">
          {formatClock(atMs).slice(0, 5)}
        </text>
      ))}
  </svg>
)
