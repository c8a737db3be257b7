import type { SpanNode, TreeSpan } from './span-tree'
import type { TimeTree } from './time-tree'

/** Times are µs since the epoch. */
export interface Interval {
  readonly startUs: number
  readonly endUs: number
}

/**
 * The intervals of a span in which none of its children runs. They are drawn solid.
 * @param children in order of their start; clipped to the span
 * @param joinUs intervals closer to each other become one: at the width of a pixel there are at most as many as pixels
 */
export function selfIntervals<Span extends TreeSpan>(
  span: Interval,
  children: readonly SpanNode<Span>[],
  joinUs = 0,
): readonly Interval[] {
  const own: Interval[] = []
  eachInterval(span, children, (startUs, endUs) => {
    const last = own.at(-1)
    if (last !== undefined && startUs - last.endUs < joinUs) own[own.length - 1] = { startUs: last.startUs, endUs }
    else own.push({ startUs, endUs })
  })
  return own
}

/** The time of each span in which none of its children runs, in µs, by span id. Never negative. */
export function selfTimes<Span extends TreeSpan>({ nodes, childrenOf }: TimeTree<Span>): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  let us = 0
  const add = (startUs: number, endUs: number): void => {
    us += endUs - startUs
  }
  for (const node of nodes) {
    us = 0
    eachInterval(node.span, childrenOf(node), add)
    times.set(node.span.spanId, us)
  }
  return times
}

/** Visits the intervals of a span in which none of its children runs. @param children in order of their start */
function eachInterval<Span extends TreeSpan>(
  { startUs, endUs }: Interval,
  children: readonly SpanNode<Span>[],
  visit: (startUs: number, endUs: number) => void,
): void {
  let fromUs = startUs
  for (const { span: child } of children) {
    if (child.endUs <= child.startUs) continue
    const untilUs = Math.min(child.startUs, endUs)
    if (untilUs > fromUs) visit(fromUs, untilUs)
    fromUs = Math.max(fromUs, child.endUs)
  }
  if (endUs > fromUs) visit(fromUs, endUs)
}
