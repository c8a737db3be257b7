import type { PathSection } from '../../lib/protocol/trace/critical-path'
import type { TreeSpan } from '../../lib/protocol/trace/span-tree'
import type { Interval } from './time-axis'
import type { TreeRow } from './tree-rows'
import { rowsBySpan } from './tree-rows'

/** The path goes from one row to another. */
interface Join {
  /** Indices of rows. */
  readonly from: number
  readonly to: number
  readonly atUs: number
}

export interface ShownPath {
  /** The sections that each row shows: its own, and those of the spans that it hides. Adjacent ones are one. */
  readonly ofRow: ReadonlyMap<string, readonly Interval[]>
  readonly joins: readonly Join[]
}

/** Sections of a row beyond these are merged with their neighbours: a row would have more parts than pixels. */
const MOST_SECTIONS = 200

/** The critical path as the present rows show it. @param sections in order of time */
export function shownPath<Span extends TreeSpan>(
  sections: readonly PathSection[],
  rows: readonly TreeRow<Span>[],
): ShownPath {
  const rowAt = rowsBySpan(rows, new Set(sections.map(({ spanId }) => spanId)))
  const ofRow = new Map<string, Interval[]>()
  const joins: Join[] = []
  let before: { readonly at: number; readonly endUs: number } | null = null
  for (const { spanId, startUs, endUs } of sections) {
    const at = rowAt.get(spanId)
    const row = at === undefined ? undefined : rows[at]
    if (at === undefined || row === undefined) continue
    const mine = ofRow.get(row.id) ?? []
    const last = mine.at(-1)
    if (last !== undefined && (last.endUs >= startUs || mine.length >= MOST_SECTIONS))
      mine[mine.length - 1] = { startUs: last.startUs, endUs: Math.max(last.endUs, endUs) }
    else mine.push({ startUs, endUs })
    ofRow.set(row.id, mine)
    if (before !== null && before.at !== at) joins.push({ from: before.at, to: at, atUs: startUs })
    before = { at, endUs }
  }
  return { ofRow, joins }
}
