/** Columns as wide as their widest cell; the first aligned left, the others right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  return [lineOf(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(lineOf)].join('\n')
}

/** A goal of the product and the measured value: empty, with `met` null, when this run did not measure it. */
export interface Goal {
  readonly what: string
  readonly target: string
  readonly found: string
  readonly met: boolean | null
}

export const goalAtLeast = (what: string, least: number, found: number | null): Goal => ({
  what,
  target: `at least ${least}`,
  found: found === null ? '' : found.toFixed(3),
  met: found === null ? null : found >= least,
})

export const goalBelow = (what: string, most: number, unit: string, found: number | null): Goal => ({
  what,
  target: `under ${most} ${unit}`,
  found: found === null ? '' : `${ms(found)} ${unit}`,
  met: found === null ? null : found < most,
})

export const goalTable = (goals: readonly Goal[]): string =>
  textTable(
    ['goal', 'wanted', 'found', ''],
    goals.map(({ what, target, found, met }) => [
      what,
      target,
      found,
      met === null ? 'not measured' : met ? 'met' : 'NOT MET',
    ]),
  )

export const ms = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0))
export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
export const mb = (bytes: number): string => (bytes / 1e6).toFixed(0)

/** The lower of the two middle values when their number is even. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}

/** @param share 0 to 1 @returns 0 without values */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** The rise of the regression line through the points, from the first to the last. */
export function rise(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const middle = mean(points.map(([x]) => x))
  const level = mean(points.map(([, y]) => y))
  const spread = points.reduce((sum, [x]) => sum + (x - middle) ** 2, 0)
  if (spread === 0) return 0
  const slope = points.reduce((sum, [x, y]) => sum + (x - middle) * (y - level), 0) / spread
  return slope * ((points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0))
}
