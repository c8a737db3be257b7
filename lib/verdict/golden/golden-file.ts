import { fail, type Result, succeed } from '../../protocol/result'
import { formatValue } from '../text'

/** Lines of a file, and spans of a trace after the dropped ones. */
export const MAX_GOLDEN_LINES = 2_000
/** Comparing is recursive. */
export const MAX_GOLDEN_LEVELS = 200

/** One line: a span, or equal siblings with equal spans below. */
export interface GoldenLine {
  /** Op, name and details. Lines are compared by it as a whole. */
  readonly label: string
  /** Begins with `?`: the line may be missing. */
  readonly isOptional: boolean
  readonly least: number
  /** `Infinity` for `×*`. */
  readonly most: number
  readonly children: readonly GoldenLine[]
}

/** A golden trace: a file, or a recorded trace in its form. */
export interface Golden {
  /** Such as `static`; several are joined in order: `otlp, static`. */
  readonly lifecycle: string
  readonly roots: readonly GoldenLine[]
}

/** The text of the file. */
export const goldenText = ({ lifecycle, roots }: Golden): string =>
  `${[`lifecycle: ${lifecycle}`, ...roots.flatMap((line) => subtreeLines(line))].join('\n')}\n`

/** A line and all below, two spaces a level. */
export const subtreeLines = (line: GoldenLine, depth = 0): readonly string[] => [
  `${'  '.repeat(depth)}${lineText(line)}`,
  ...line.children.flatMap((child) => subtreeLines(child, depth + 1)),
]

/** One line without its indent. */
export const lineText = ({ label, isOptional, least, most }: GoldenLine): string =>
  `${isOptional ? '? ' : ''}${label}${countText(least, most)}`

function countText(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return ' ×*'
  if (least !== most) return ` ×${least}..${most}`
  return least === 1 ? '' : ` ×${least}`
}

/** Sorts siblings by the text of their subtree, so that the order in which spans ran does not count. */
export function sorted(siblings: readonly GoldenLine[]): readonly GoldenLine[] {
  const keyed = siblings.map((line) => ({ line, key: subtreeLines(line).join('\n') }))
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ line }) => line)
}

const LIFECYCLES = /^lifecycle: ((?:otlp|static|stream)(?:, (?:otlp|static|stream))*)$/
const LINE = /^( *)(\? )?([^\s?×][^×]*?)(?: ×(\*|[1-9]\d{0,5})(?:\.\.([1-9]\d{0,5}))?)?$/
const VALID_LINES =
  'valid lines are "op name", "op name ×3", "op name ×1..3", "op name ×*" and "? op name", indented by two spaces a level'

interface OpenLine extends GoldenLine {
  readonly children: OpenLine[]
}

/** @returns the content, or which line cannot be read, and why */
export function parseGolden(text: string): Result<Golden, string> {
  const [first = '', ...lines] = text.trimEnd().split(/\r?\n/)
  const [, lifecycle] = LIFECYCLES.exec(first) ?? []
  if (lifecycle === undefined)
    return fail(`line 1 must be "lifecycle: " and static, stream, otlp or several of them, got ${formatValue(first)}`)
  if (lines.length > MAX_GOLDEN_LINES)
    return fail(`it has ${lines.length} lines of spans; at most ${MAX_GOLDEN_LINES} are valid`)
  const roots: OpenLine[] = []
  /** The siblings of each level on the way to the last line. */
  const levels = [roots]
  for (const [index, line] of lines.entries()) {
    const read = readLine(line)
    const siblings = read.ok ? levels[read.value.depth] : undefined
    if (!read.ok || siblings === undefined) {
      const why = read.ok ? `it is more than one level below the line above` : read.error
      return fail(`line ${index + 2} cannot be read: ${why}, got ${formatValue(line)}; ${VALID_LINES}`)
    }
    siblings.push(read.value.line)
    levels.splice(read.value.depth + 1, Number.POSITIVE_INFINITY, read.value.line.children)
  }
  return roots.length === 0 ? fail('it has no line of a span') : succeed({ lifecycle, roots })
}

function readLine(text: string): Result<{ readonly depth: number; readonly line: OpenLine }, string> {
  const [, indent, mark, label, count = '1', end] = LINE.exec(text.trimEnd()) ?? []
  if (indent === undefined || label === undefined || (count === '*' && end !== undefined))
    return fail(text.includes('×') ? 'its count is not valid' : 'it is no op and name')
  if (indent.length >= 2 * MAX_GOLDEN_LEVELS) return fail(`it is below ${MAX_GOLDEN_LEVELS} levels`)
  if (indent.length % 2 === 1) return fail(`it is indented by ${indent.length} spaces`)
  const least = count === '*' ? 1 : Number(count)
  const most = count === '*' ? Number.POSITIVE_INFINITY : Number(end ?? count)
  if (least > most) return fail(`its count begins above its end`)
  const line = { label, isOptional: mark !== undefined, least, most, children: [] }
  return succeed({ depth: indent.length / 2, line })
}
