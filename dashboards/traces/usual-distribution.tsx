'use client'

import { formatDurationUs } from '../../lib/format'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { type Comparison, usualText, withinTraceText } from './comparison'
import type { TraceData } from './trace-data'
import { useUsual, useWithinTrace } from './use-usual'
import styles from './usual-distribution.module.css'

interface UsualProps {
  readonly trace: TraceData
  readonly span: TraceSpan
}

/** How long a span took compared with others: a segment with recent ones, an inner span with those of its trace. */
export function UsualDistribution({ trace, span }: UsualProps) {
  const segment = trace.segments.find(({ segmentId }) => segmentId === span.spanId)
  const usual = useUsual(segment)
  const within = useWithinTrace(segment === undefined ? span : undefined, trace.spans)
  const comparison = usual?.comparison ?? within
  if (comparison === null) return null
  const text = usual === null ? withinTraceText(comparison) : usualText(usual.comparison, usual.isCut)
  if (text === null) return null
  return (
    <figure className={styles.usual}>
      {comparison.p95Us !== null && <Bars comparison={comparison} />}
      <figcaption>{text}</figcaption>
    </figure>
  )
}

const [WIDTH, HEIGHT] = [240, 24]

function Bars({ comparison }: { readonly comparison: Comparison }) {
  const { us, p50Us, p95Us, sortedUs, isSlow } = comparison
  const { bars, fromUs, toUs } = histogramOf(comparison)
  const highest = Math.max(...bars, 1)
  const step = WIDTH / bars.length
  const xOf = (at: number): number => Math.min(1, (at - fromUs) / (toUs - fromUs)) * WIDTH
  const label = `${sortedUs.length} durations from ${formatDurationUs(sortedUs[0] ?? 0)} to ${formatDurationUs(sortedUs.at(-1) ?? 0)}; this one took ${formatDurationUs(us)}`
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
      {bars.map((count, at) => {
        const height = count === 0 ? 0 : Math.max(1, (count / highest) * (HEIGHT - 4))
        const x = at * step
        return <rect key={x} x={x + 0.5} width={step - 1} y={HEIGHT - height} height={height} />
      })}
      {[p50Us, p95Us].map(
        (at) => at !== null && <path key={at} className={styles.percentile} d={`M${xOf(at)} 6V${HEIGHT}`} />,
      )}
      <path className={styles.own} data-slow={isSlow} d={`M${xOf(us)} 0V${HEIGHT}`} />
    </svg>
  )
}

/** Bars of a histogram. */
const BARS = 24

interface Histogram {
  /** Counts of the bars, from `fromUs` to `toUs` in equal steps. The last one includes all that is longer. */
  readonly bars: readonly number[]
  readonly fromUs: number
  readonly toUs: number
}

/** The durations as bars. It ends at twice the p95, or at the compared duration, so one outlier does not flatten the rest. */
export function histogramOf({ us, sortedUs, p95Us }: Comparison): Histogram {
  const longest = Math.max(us, sortedUs.at(-1) ?? 0)
  const fromUs = Math.min(us, sortedUs[0] ?? 0)
  const toUs = Math.max(us, fromUs + 1, Math.min(longest, 2 * (p95Us ?? longest)))
  const bars = new Array<number>(BARS).fill(0)
  for (const one of sortedUs) {
    const at = Math.min(BARS - 1, Math.floor(((one - fromUs) / (toUs - fromUs)) * BARS))
    bars[at] = (bars[at] ?? 0) + 1
  }
  return { bars, fromUs, toUs }
}
