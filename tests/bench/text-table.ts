/** Columns as wide as their widest cell; the first to the left, numbers to the right. */
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

export const ms = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0))
export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
export const mb = (bytes: number): string => (bytes / 1e6).toFixed(0)
export const share = (value: number): string => value.toFixed(2)

/** Of an even number of values the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}

/** One thing that is asked of the product, and what was found; `null` where this run did not measure it. */
export interface Goal {
  readonly what: string
  readonly wanted: string
  readonly found: string
  readonly met: boolean | null
}

export const goalAtLeast = (what: string, least: number, found: number | null): Goal => ({
  what,
  wanted: `at least ${least}`,
  found: found === null ? '' : found.toFixed(3),
  met: found === null ? null : found >= least,
})

export const goalBelow = (what: string, most: number, unit: string, found: number | null): Goal => ({
  what,
  wanted: `under ${most} ${unit}`,
  found: found === null ? '' : `${ms(found)} ${unit}`,
  met: found === null ? null : found < most,
})

export const goalTable = (goals: readonly Goal[]): string =>
  textTable(
    ['goal', 'wanted', 'found', ''],
    goals.map(({ what, wanted, found, met }) => [
      what,
      wanted,
      found,
      met === null ? 'not measured' : met ? 'met' : 'NOT MET',
    ]),
  )
