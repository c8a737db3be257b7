/** Bars span so many powers of ten below the longest; what is shorter still has none. */
const DECADES = 4

/**
 * How long a bar is, from 0 to 1, beside the longest on the page. Logarithmic, a quarter for each power of ten: on a linear
 * scale one trace that ran for minutes leaves every other without a bar.
 */
export function durationShare(durationUs: number, longestUs: number): number {
  if (longestUs <= 0 || durationUs <= 0) return 0
  return Math.min(1, Math.max(0, 1 + Math.log10(durationUs / longestUs) / DECADES))
}
