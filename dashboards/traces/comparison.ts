import { formatDurationUs, plural } from '../../lib/format'

/** With fewer others a percentile says nothing. */
export const FEWEST_COMPARED = 20
/** A duration counts as slow above this part of the p95. */
const SLOW_FACTOR = 1.3

/** A duration among others of its kind. */
export interface Comparison {
  readonly us: number
  /** The others, ascending. */
  readonly sortedUs: readonly number[]
  /** Percentiles of the others by nearest rank; `null` when there are too few. */
  readonly p50Us: number | null
  readonly p95Us: number | null
  /** At least 30 % above the p95. */
  readonly isSlow: boolean
}

/** Compares a duration with others. @param othersUs without the duration itself, in any order */
export function compare(us: number, othersUs: readonly number[]): Comparison {
  const sortedUs = [...othersUs].sort((a, b) => a - b)
  const rank = (quantile: number): number | null =>
    sortedUs.length < FEWEST_COMPARED ? null : (sortedUs[Math.ceil(quantile * sortedUs.length) - 1] ?? null)
  const p95Us = rank(0.95)
  return { us, sortedUs, p50Us: rank(0.5), p95Us, isSlow: p95Us !== null && us >= p95Us * SLOW_FACTOR }
}

/** Compares a segment with others of its operation: `p50 118 ms, p95 290 ms of the last 200. Slower than 98 %.` */
export function usualText(comparison: Comparison, isCut: boolean): string {
  const { length } = comparison.sortedUs
  if (length === 0) return 'The first one like it: nothing to compare with.'
  const percentiles = percentilesText(comparison)
  if (percentiles === null) return `Only ${length} like it: too few to compare.`
  return `${percentiles} of ${isCut ? 'the last ' : ''}${length}. ${shareText(comparison)}.`
}

/** Compares a span with the other spans of its operation in the trace; `null` when it is the only one. */
export function withinTraceText(comparison: Comparison): string | null {
  const { length } = comparison.sortedUs
  if (length === 0) return null
  const { faster, slower } = countOthers(comparison)
  const percentiles = percentilesText(comparison)
  const figures = percentiles === null ? '' : ` ${percentiles} of the others.`
  if (faster === length) return `Slowest of ${length + 1} like it in this trace.${figures}`
  if (slower === length) return `Fastest of ${length + 1} like it in this trace.${figures}`
  const word = faster === 0 && slower === 0 ? 'As long as' : `Slower than ${faster} of`
  return `${word} the ${plural(length, 'other')} like it in this trace.${figures}`
}

const percentilesText = ({ p50Us, p95Us }: Comparison): string | null =>
  p50Us === null || p95Us === null ? null : `p50 ${formatDurationUs(p50Us)}, p95 ${formatDurationUs(p95Us)}`

const countOthers = ({ us, sortedUs }: Comparison) => ({
  faster: sortedUs.filter((other) => other < us).length,
  slower: sortedUs.filter((other) => other > us).length,
})

function shareText(comparison: Comparison): string {
  const { faster, slower } = countOthers(comparison)
  const { length } = comparison.sortedUs
  if (faster === 0 && slower === 0) return 'As long as all'
  const [word, count] = faster >= slower ? ['Slower', faster] : ['Faster', slower]
  // Rounded down: one of 200 that is slower is not "all".
  return count === length ? `${word} than all` : `${word} than ${Math.floor((count / length) * 100)} %`
}
