import { formatBytes, formatCount, formatDurationUs, plainText, plural } from '../../format'
import { type ComparedRow, type ComparedSide, isChanged } from './compare-traces'

/** Rows and characters of a name in the text of a comparison. */
const MOST_ROWS = 50
const LONGEST_NAME = 120

/** `+120 ms (+25 %)`; without a share of 0 %, or of nothing. */
export const differenceText = (aUs: number, bUs: number): string => amountText(aUs, bUs, formatDurationUs, 'as long')

/** The same for bytes: `+1.20 kB (+25 %)`. */
export const byteDifferenceText = (a: number, b: number): string => amountText(a, b, formatBytes, 'as many')

function amountText(a: number, b: number, format: (amount: number) => string, same: string): string {
  if (a === b) return same
  const sign = b < a ? '−' : '+'
  const share = a === 0 ? 0 : Math.round((Math.abs(b - a) / a) * 100)
  return `${sign}${format(Math.abs(b - a))}${share === 0 ? '' : ` (${sign}${formatCount(share)} %)`}`
}

/** The change of a row in words; empty without one. */
export function changeText(row: ComparedRow): string {
  const { a, b, change, slower, faster } = row
  const failed = (b?.errors ?? 0) - (a?.errors ?? 0)
  const parts: string[] = []
  if (a === null) parts.push('added')
  else if (b === null) parts.push('removed')
  else if (change === 'count') {
    const more = b.count - a.count
    parts.push(`${formatCount(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'}`, differenceText(a.totalUs, b.totalUs))
  } else if (change === 'uneven') parts.push(`${formatCount(slower)} slower, ${formatCount(faster)} faster`)
  else if (change !== 'same') parts.push(differenceText(a.totalUs, b.totalUs))
  if (failed !== 0 && b !== null) parts.push(`${formatCount(Math.abs(failed))} ${failed > 0 ? 'more' : 'fewer'} failed`)
  return parts.join(', ')
}

/** `480 ms`, `12 × 480 ms` (the sum), or a dash. */
export function sideText(side: ComparedSide | null): string {
  if (side === null) return '–'
  const times = side.count === 1 ? '' : `${formatCount(side.count)} × `
  return `${times}${formatDurationUs(side.totalUs)}`
}

/** A trace as the heading of a comparison names it. */
export interface ComparedHead {
  readonly traceId: string
  readonly name: string
  readonly durationUs: number
  readonly spanCount: number
  /** Of its envelopes; `null` for a trace from a file, which has none. */
  readonly bytes: number | null
}

/** The differences of two traces as Markdown for a pull request. Names stand in code: they mention and link nothing. */
export function comparisonMarkdown(
  { a, b }: { readonly a: ComparedHead; readonly b: ComparedHead },
  rows: readonly ComparedRow[],
): string {
  const changed = rows.filter(isChanged)
  const left = changed.length - MOST_ROWS
  const heads = [a, b].map(
    ({ traceId, spanCount, bytes }) =>
      `${code(traceId.slice(0, 8))}, ${plural(spanCount, 'span')}${bytes === null ? '' : `, ${formatBytes(bytes)}`}`,
  )
  const bytes = a.bytes === null || b.bytes === null ? '' : ` Bytes: ${byteDifferenceText(a.bytes, b.bytes)}.`
  const names = a.name === b.name ? code(b.name) : `${code(a.name)} → ${code(b.name)}`
  return [
    `### Trace ${names}: ${formatDurationUs(a.durationUs)} → ${formatDurationUs(b.durationUs)}, ${differenceText(a.durationUs, b.durationUs)}`,
    '',
    `A ${heads[0]}; B ${heads[1]}.${bytes} ${plural(changed.length, 'operation')} changed, ${formatCount(rows.length - changed.length)} did not (durations: 20 % and 1 ms).`,
    ...(changed.length === 0 ? [] : ['', '| Operation | A | B | Change |', '| --- | ---: | ---: | --- |']),
    ...changed
      .slice(0, MOST_ROWS)
      .map((row) => `| ${operationText(row)} | ${sideText(row.a)} | ${sideText(row.b)} | ${changeText(row)} |`),
    ...(left > 0 ? ['', `${formatCount(left)} more changed.`] : []),
    '',
  ].join('\n')
}

const operationText = ({ service, op, name }: ComparedRow): string =>
  `${code(service)} ${op === null ? '' : `${code(op)} `}${code(name)}`

/** Received text as code in a cell of a table. */
function code(text: string): string {
  const line = plainText(text.slice(0, LONGEST_NAME).replaceAll(/\s+/g, ' ').trim())
  return `\`${line.replaceAll('`', "'").replaceAll('|', '\\|') || 'no name'}\``
}
