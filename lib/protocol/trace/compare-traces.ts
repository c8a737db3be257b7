import { addToGroup } from '../../group-by'
import { operationKey } from './operations'
import { normaliseName } from './span-name'
import { isErrorStatus } from './span-status'
import type { AnalysedSpan, TimeTree } from './time-tree'

/** A duration differs from this share of the first on, if it is also at least `FLOOR_US`. */
const SHARE = 0.2
const FLOOR_US = 1000

/** One trace of a comparison. */
export interface ComparedTrace {
  readonly tree: Pick<TimeTree<AnalysedSpan>, 'nodes' | 'parents'>
  /** The start of the trace, from which its spans are placed. */
  readonly startUs: number
}

/** The spans of a row in one trace. Times are µs. */
export interface ComparedSide {
  readonly count: number
  readonly totalUs: number
  readonly errors: number
  /** After the start of the trace: from the first start to the last end. */
  readonly fromUs: number
  readonly toUs: number
  readonly spanIds: readonly string[]
}

/** `uneven`: the sums are alike, single spans are not. */
export type TraceChange = 'added' | 'removed' | 'count' | 'slower' | 'faster' | 'uneven' | 'same'

/** Spans of two traces with one path: their service, op and name without values, and those of all spans above. */
export interface ComparedRow {
  readonly key: number
  readonly depth: number
  readonly service: string
  readonly op: string | null
  readonly name: string
  /** `null` when the first trace has no such span. */
  readonly a: ComparedSide | null
  readonly b: ComparedSide | null
  readonly change: TraceChange
  /** With equal counts: spans of the second trace that are slower or faster than those of the first, in order. */
  readonly slower: number
  readonly faster: number
}

interface Path {
  readonly key: number
  readonly depth: number
  readonly first: AnalysedSpan
  readonly spans: { readonly a: AnalysedSpan[]; readonly b: AnalysedSpan[] }
}

/** Compares two traces by the paths of their spans. Rows are in the order of the tree, siblings by their first start. */
export function compareTraces(a: ComparedTrace, b: ComparedTrace): readonly ComparedRow[] {
  const paths = new Map<string, Path>()
  const childrenOf = new Map<number, Path[]>()
  const read = ({ tree: { nodes, parents } }: ComparedTrace, side: 'a' | 'b'): void => {
    const pathOf: Path[] = []
    // Parents come before their children.
    for (const [index, { span }] of nodes.entries()) {
      const above = pathOf[parents[index] ?? -1]
      const text = `${above?.key ?? -1}\n${operationKey(span)}`
      let path = paths.get(text)
      if (path === undefined) {
        path = { key: paths.size, depth: (above?.depth ?? -1) + 1, first: span, spans: { a: [], b: [] } }
        paths.set(text, path)
        addToGroup(childrenOf, above?.key ?? -1, path)
      }
      path.spans[side].push(span)
      pathOf.push(path)
    }
  }
  read(a, 'a')
  read(b, 'b')
  const rowOf = (path: Path): ComparedRow => {
    const sides = { a: sideOf(path.spans.a, a.startUs), b: sideOf(path.spans.b, b.startUs) }
    const { service, op, name } = path.first
    return {
      ...{ key: path.key, depth: path.depth, service, op, name: normaliseName(name) },
      ...sides,
      ...changeOf(path.spans, sides),
    }
  }
  return inOrder(childrenOf, rowOf)
}

/** Iterative, because a trace may be thousands of levels deep: what is on top of the stack is next. */
function inOrder(childrenOf: ReadonlyMap<number, readonly Path[]>, rowOf: (path: Path) => ComparedRow) {
  const below = (key: number): readonly ComparedRow[] =>
    (childrenOf.get(key) ?? [])
      .map(rowOf)
      .sort((one, other) => startOf(one) - startOf(other))
      .reverse()
  const rows: ComparedRow[] = []
  const open = [...below(-1)]
  for (let row = open.pop(); row !== undefined; row = open.pop()) {
    rows.push(row)
    for (const child of below(row.key)) open.push(child)
  }
  return rows
}

const startOf = ({ a, b }: ComparedRow): number => (a ?? b)?.fromUs ?? 0

const lengthOf = ({ startUs, endUs }: AnalysedSpan): number => Math.max(0, endUs - startUs)

function sideOf(spans: readonly AnalysedSpan[], originUs: number): ComparedSide | null {
  if (spans.length === 0) return null
  return {
    count: spans.length,
    totalUs: spans.reduce((sum, span) => sum + lengthOf(span), 0),
    errors: spans.filter(({ status }) => isErrorStatus(status)).length,
    fromUs: spans.reduce((least, { startUs }) => Math.min(least, startUs), Number.POSITIVE_INFINITY) - originUs,
    toUs: spans.reduce((most, { endUs }) => Math.max(most, endUs), Number.NEGATIVE_INFINITY) - originUs,
    spanIds: spans.map(({ spanId }) => spanId),
  }
}

/** 1 when the second duration is longer by at least 20 % and 1 ms, -1 when it is shorter, else 0. */
export function durationChange(aUs: number, bUs: number): -1 | 0 | 1 {
  const size = Math.abs(bUs - aUs)
  if (size < FLOOR_US || size < SHARE * aUs) return 0
  return bUs > aUs ? 1 : -1
}

function changeOf(
  spans: Path['spans'],
  { a, b }: Pick<ComparedRow, 'a' | 'b'>,
): Pick<ComparedRow, 'change' | 'slower' | 'faster'> {
  const none = { slower: 0, faster: 0 }
  if (a === null) return { change: 'added', ...none }
  if (b === null) return { change: 'removed', ...none }
  if (a.count !== b.count) return { change: 'count', ...none }
  const pairs = spans.a.map((span, at) => durationChange(lengthOf(span), lengthOf(spans.b[at] ?? span)))
  const slower = pairs.filter((sign) => sign > 0).length
  const faster = pairs.filter((sign) => sign < 0).length
  const total = durationChange(a.totalUs, b.totalUs)
  if (total !== 0) return { change: total > 0 ? 'slower' : 'faster', slower, faster }
  return { change: slower + faster > 0 ? 'uneven' : 'same', slower, faster }
}

/** Whether a row belongs in a list of differences. */
export const isChanged = ({ change, a, b }: ComparedRow): boolean => change !== 'same' || a?.errors !== b?.errors

/** The changed rows with all rows above them, which show where they are. */
export function changedWithAbove(rows: readonly ComparedRow[]): readonly ComparedRow[] {
  const kept = new Set<ComparedRow>()
  const above: ComparedRow[] = []
  for (const row of rows) {
    above.length = row.depth
    above.push(row)
    if (isChanged(row)) for (const one of above) kept.add(one)
  }
  return rows.filter((row) => kept.has(row))
}
