import type { SegmentSpan } from '../../lib/protocol/trace/segment'
import type { Source } from '../../lib/protocol/traversal/rows'

/** A span as one record tells of it. */
export interface ToldSpan {
  readonly span: SegmentSpan
  /** Of the span in its item. */
  readonly place: number
  readonly source: Source
}

/** What two tellings of the same span are compared by. */
export type ToldAt = Pick<ToldSpan, 'place' | 'source'> & { readonly span: Pick<SegmentSpan, 'endUs'> }

/**
 * Which of two that tell of the same span is shown: what came on the path before what came as a copy, then the later end,
 * then what was received last. It is the order of everything that is told more than once.
 */
export function isShownBefore(one: ToldAt, other: ToldAt): boolean {
  if (one.source.copy !== other.source.copy) return other.source.copy
  const differences = [
    one.span.endUs - other.span.endUs,
    one.source.seq - other.source.seq,
    one.source.item - other.source.item,
    one.place - other.place,
  ]
  return (differences.find((difference) => difference !== 0) ?? 0) > 0
}
