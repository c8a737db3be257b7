import { isErrorStatus } from './span-status'
import type { AnalysedSpan } from './time-tree'

/** Figures of several spans. Times are µs. */
export interface SpanTotals {
  readonly count: number
  /** The sum of the durations: spans that run at the same time count each. */
  readonly totalUs: number
  /** Percentiles by nearest rank: durations of spans, not values between them. */
  readonly p50Us: number
  readonly p95Us: number
  readonly slowestId: string
  readonly slowestUs: number
  /** Spans with the status of an error. */
  readonly errors: number
}

/** Counts and measures spans. Of equally slow ones the first is the slowest. @param spans at least one */
export function totalsOf(spans: readonly AnalysedSpan[]): SpanTotals {
  const lengths = Float64Array.from(spans, lengthOf).sort()
  const rank = (quantile: number): number => lengths[Math.ceil(quantile * lengths.length) - 1] ?? 0
  const slowestUs = rank(1)
  return {
    count: spans.length,
    totalUs: lengths.reduce((sum, us) => sum + us, 0),
    p50Us: rank(0.5),
    p95Us: rank(0.95),
    slowestId: spans.find((span) => lengthOf(span) === slowestUs)?.spanId ?? '',
    slowestUs,
    errors: spans.filter(({ status }) => isErrorStatus(status)).length,
  }
}

/** A span that ends before its start has no duration. */
const lengthOf = ({ startUs, endUs }: AnalysedSpan): number => Math.max(0, endUs - startUs)
