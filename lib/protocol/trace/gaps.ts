import { type Interval, selfIntervals } from './self-time'
import type { TreeSpan } from './span-tree'
import type { TimeTree } from './time-tree'

/** A gap is reported from 5 % of the trace or 50 ms on, whichever is less, but never below 1 ms. */
const LEAST_SHARE = 0.05
const LEAST_US = 50_000
const NEVER_BELOW_US = 1_000

/** Time without instrumentation: no child of the parent runs. */
export interface Gap extends Interval {
  readonly parentId: string
}

/**
 * Finds gaps below spans with at least one child: before the first, between two, after the last. The request that rendered
 * a page counts as a child of its page load (see `timeTree`), so the wait for the server is no gap.
 * @param traceUs duration of the trace @returns parents before their children; of one parent in time order
 */
export function gapsOf<Span extends TreeSpan>({ nodes, childrenOf }: TimeTree<Span>, traceUs: number): readonly Gap[] {
  const leastUs = Math.max(NEVER_BELOW_US, Math.min(LEAST_US, traceUs * LEAST_SHARE))
  const gaps: Gap[] = []
  for (const node of nodes) {
    const children = childrenOf(node)
    if (children.length === 0) continue
    for (const { startUs, endUs } of selfIntervals(node.span, children))
      if (endUs - startUs >= leastUs) gaps.push({ parentId: node.span.spanId, startUs, endUs })
  }
  return gaps
}
