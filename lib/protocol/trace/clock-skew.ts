import type { TreeSpan } from './span-tree'
import type { TimeTree } from './time-tree'

/**
 * Moves, in µs, that put spans of other services within their parents, by span id. A span that starts before the parent
 * that caused it was timed by another clock: it is moved to the middle of its parent, or to its start if it is longer.
 * The spans below it that its service timed move with it. A span that only ends after its parent is not moved, because a
 * parent need not wait. Page loads have no parent here. Linear.
 */
export function clockMoves<Span extends TreeSpan>({ nodes, parents }: TimeTree<Span>): ReadonlyMap<string, number> {
  const moves = new Map<string, number>()
  // Parents come before their children.
  for (const [index, { span }] of nodes.entries()) {
    const parent = nodes[parents[index] ?? -1]?.span
    if (parent === undefined) continue
    const parentUs = moves.get(parent.spanId) ?? 0
    const own = span.service === parent.service ? parentUs : moveInto(span, parent, parentUs)
    if (own !== 0) moves.set(span.spanId, own)
  }
  return moves
}

function moveInto(span: TreeSpan, parent: TreeSpan, parentUs: number): number {
  const startUs = parent.startUs + parentUs
  if (span.startUs >= startUs) return 0
  const freeUs = parent.endUs - parent.startUs - (span.endUs - span.startUs)
  return startUs + Math.max(0, Math.round(freeUs / 2)) - span.startUs
}

/** Spans with corrected times, and by how much; the others stay the same objects. @param moves of `clockMoves` */
export function moveSpans<Span extends TreeSpan>(
  spans: readonly Span[],
  moves: ReadonlyMap<string, number>,
): readonly (Span & { readonly movedUs?: number })[] {
  if (moves.size === 0) return spans
  return spans.map((span) => {
    const us = moves.get(span.spanId)
    return us === undefined ? span : { ...span, startUs: span.startUs + us, endUs: span.endUs + us, movedUs: us }
  })
}
