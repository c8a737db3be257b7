/** The middle of a list; 0 for an empty one. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/**
 * Mann–Whitney's test, two-sided, by the normal approximation with corrections for ties and continuity. Sound from about ten
 * values on each side. @returns the probability of a difference at least as large if both lists have the same distribution
 */
export function mannWhitney(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((value) => ({ value, isOne: true })), ...other.map((value) => ({ value, isOne: false }))]
  all.sort((a, b) => a.value - b.value)
  const [n1, n2] = [one.length, other.length]
  const n = n1 + n2
  if (n1 === 0 || n2 === 0) return 1
  let [rankSum, ties] = [0, 0]
  for (let at = 0; at < n; ) {
    let end = at
    while (end < n && all[end]?.value === all[at]?.value) end += 1
    const size = end - at
    // Equal values share the mean of their ranks, which start at 1.
    const rank = (at + end + 1) / 2
    for (let index = at; index < end; index += 1) if (all[index]?.isOne) rankSum += rank
    ties += size ** 3 - size
    at = end
  }
  const u = rankSum - (n1 * (n1 + 1)) / 2
  const variance = ((n1 * n2) / 12) * (n + 1 - ties / (n * (n - 1)))
  if (variance <= 0) return 1
  const z = Math.max(0, Math.abs(u - (n1 * n2) / 2) - 0.5) / Math.sqrt(variance)
  return Math.min(1, 2 * upperTail(z))
}

/** P(Z > z) of the standard normal distribution for z ≥ 0, with a relative error below 1.2e-7 (Numerical Recipes, erfc). */
function upperTail(z: number): number {
  const x = z / Math.SQRT2
  const t = 1 / (1 + 0.5 * x)
  const terms = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ]
  const polynomial = terms.reduceRight((sum, term) => sum * t + term, 0)
  return 0.5 * t * Math.exp(-x * x + polynomial)
}

/** Holm's correction: the indices of the tests that remain significant at `alpha` together. */
export function holm(probabilities: readonly number[], alpha: number): ReadonlySet<number> {
  const order = probabilities.map((_, index) => index).sort((a, b) => (probabilities[a] ?? 1) - (probabilities[b] ?? 1))
  const significant = new Set<number>()
  for (const [rank, index] of order.entries()) {
    if ((probabilities[index] ?? 1) > alpha / (probabilities.length - rank)) break
    significant.add(index)
  }
  return significant
}
