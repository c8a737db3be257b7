import { plural } from '../../format'
import { noServiceCause, propagationCause } from '../compare/causes'
import { alignSiblings, headOf, isInRange } from './align'
import { type Golden, type GoldenLine, lineText, subtreeLines } from './golden-file'

/** Lines of a difference in a failure. */
const MOST_LINES = 80

/** Differences between a file and a trace. */
export interface GoldenDifference {
  /** As in a patch: `-` is in the file, `+` in the trace; lines that match are folded. */
  readonly lines: readonly string[]
  /** Lines that are only in the file, and only in the trace. */
  readonly missing: number
  readonly added: number
  /** A clause or a question; `null` where none is likelier than others. */
  readonly cause: string | null
}

interface Row {
  readonly sign: '-' | '+' | ' '
  readonly depth: number
  readonly text: string
}

/** Compares a file with a trace that does not match it. */
export function differenceOf(expected: Golden, actual: Golden): GoldenDifference {
  const changes: Change[] = []
  const tree = rowsOf(expected.roots, actual.roots, { depth: 0, service: '', changes })
  const head: readonly Row[] =
    expected.lifecycle === actual.lifecycle
      ? []
      : [
          { sign: '-', depth: 0, text: `lifecycle: ${expected.lifecycle}` },
          { sign: '+', depth: 0, text: `lifecycle: ${actual.lifecycle}` },
        ]
  const rows = [...head, ...tree]
  const lines = rows.map(({ sign, depth, text }) => `${sign} ${'  '.repeat(depth)}${text}`)
  const rest = lines.length - MOST_LINES
  return {
    lines: rest > 0 ? [...lines.slice(0, MOST_LINES), `and ${plural(rest, 'more line')}`] : lines,
    missing: rows.filter(({ sign }) => sign === '-').length,
    added: rows.filter(({ sign }) => sign === '+').length,
    cause: causeOf(expected, actual, changes),
  }
}

/** A line that differs, with the service of the line above. */
interface Change {
  readonly expected: GoldenLine | null
  readonly actual: GoldenLine | null
  readonly count: number
  readonly service: string
}

interface Position {
  readonly depth: number
  /** The service of the parent. */
  readonly service: string
  readonly changes: Change[]
}

function rowsOf(
  expected: readonly GoldenLine[],
  actual: readonly GoldenLine[],
  { depth, service, changes }: Position,
): readonly Row[] {
  const pairings = alignSiblings(expected, actual).map((one) => ({
    ...one,
    key: (one.expected ?? one.actual)?.label ?? '',
  }))
  pairings.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const whole = (sign: '-' | '+', line: GoldenLine): readonly Row[] =>
    subtreeLines(line).map((text) => ({ sign, depth, text }))
  return pairings.flatMap(({ expected: line, actual: one, count, isMatch }): readonly Row[] => {
    const found = one === null ? null : { ...one, least: count, most: count, isOptional: false }
    if (line === null) {
      if (found === null) return []
      changes.push({ expected: null, actual: found, count, service })
      return whole('+', found)
    }
    if (isMatch) return foldedRows(line, depth)
    if (found === null) {
      changes.push({ expected: line, actual: null, count, service })
      return whole('-', line)
    }
    const isSame = line.label === found.label && isInRange(count, line)
    if (!isSame) changes.push({ expected: line, actual: found, count, service })
    const own: readonly Row[] = isSame
      ? [{ sign: ' ', depth, text: lineText(line) }]
      : [
          { sign: '-', depth, text: lineText(line) },
          { sign: '+', depth, text: lineText(found) },
        ]
    const below = { depth: depth + 1, service: serviceOf(line) ?? service, changes }
    return [...own, ...rowsOf(line.children, found.children, below)]
  })
}

function foldedRows(line: GoldenLine, depth: number): readonly Row[] {
  const below = subtreeLines(line).length - 1
  const folded = below === 0 ? [] : [{ sign: ' ' as const, depth: depth + 1, text: `… ${plural(below, 'line')}` }]
  return [{ sign: ' ', depth, text: lineText(line) }, ...folded]
}

const serviceOf = ({ label }: GoldenLine): string | null => / \[.*\bservice=([^,\]]+)/.exec(label)?.[1] ?? null

/** The status of a request in a line, or its mark of an error. */
const statusOf = ({ label }: GoldenLine): string | null =>
  /[[ ]status=(\d+)[,\]]/.exec(label)?.[1] ?? (/[[ ]error[,\]]/.test(label) ? 'error' : null)

function causeOf(expected: Golden, actual: Golden, changes: readonly Change[]): string | null {
  if (expected.lifecycle !== actual.lifecycle)
    return 'the lifecycle of spans changed: is traceLifecycle of Sentry.init changed, or the SDK updated? Then update the file'
  const services = new Set(actual.roots.flatMap(servicesOf))
  for (const { expected: line, service } of changes) {
    const gone = line === null ? null : serviceOf(line)
    if (gone === null || services.has(gone)) continue
    return service === '' ? noServiceCause(gone) : propagationCause(`${service} > ${gone}`)
  }
  for (const { expected: line, actual: one } of changes) {
    const [before, now] = [line && statusOf(line), one && statusOf(one)]
    if (line === null || one === null || now === null || before === now) continue
    return `${headOf(one)} ended with ${now === 'error' ? 'an error' : `status ${now}`}${before === null ? '' : `, ${before} in the file`}`
  }
  const more = changes.find(
    ({ expected: line, actual: one, count }) => line !== null && one?.label === line.label && count > line.most,
  )
  return more?.expected
    ? `${headOf(more.expected)} ran ${more.count} times: is it in a loop, or was it repeated?`
    : null
}

const servicesOf = (line: GoldenLine): readonly string[] => [
  ...(serviceOf(line) === null ? [] : [serviceOf(line) ?? '']),
  ...line.children.flatMap(servicesOf),
]
