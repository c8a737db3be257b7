'use client'

import { formatDurationUs } from '../../lib/format'
import type { Segment } from '../../lib/wire/trace'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { type Comparison, histogramOf, usualText, withinTraceText } from './comparison'
import type { TraceData } from './trace-data'
import { useUsual, useWithinTrace } from './use-usual'
import styles from './usual.module.css'

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

/** The segment that names a trace: its start and name are those of the summary. */
export const mainSegment = ({ segments, summary }: TraceData): Segment | undefined =>
  segments.find(({ name, op }) => name === summary.name && op === summary.op)

/** `p95 1.92 s` of the segment that names the trace, beside the duration of the trace. */
export function UsualDuration({ trace }: { readonly trace: TraceData }) {
  // Read after the rows.
  const segment = trace.isWhole ? mainSegment(trace) : undefined
  const usual = useUsual(segment)
  const { p95Us = null, us = 0, isSlow = false } = usual?.comparison ?? {}
  if (usual === null || p95Us === null) return null
  // A trace may go on after the segment that names it.
  const isAll = us >= trace.summary.durationUs * 0.99
  return (
    <span data-tone={isSlow ? 'warn' : undefined} title={usualText(usual.comparison, usual.isCut)}>
      {!isAll && `${segment?.op ?? 'first segment'} ${formatDurationUs(us)}, `}p95 {formatDurationUs(p95Us)},{' '}
    </span>
  )
}
