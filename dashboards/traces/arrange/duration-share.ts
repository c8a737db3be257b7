/** How long a bar is, from 0 to 1, beside the longest on the page. Linear: twice as long reads as twice as long. */
export function durationShare(durationUs: number, longestUs: number): number {
  if (longestUs <= 0 || durationUs <= 0) return 0
  return Math.min(1, durationUs / longestUs)
}
