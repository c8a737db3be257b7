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
  { startUs, endUs }: Interval,
  children: readonly SpanNode<Span>[],
  joinUs = 0,
): readonly Interval[] {
  const own: Interval[] = []
  let fromUs = startUs
  const add = (untilUs: number): void => {
    if (untilUs <= fromUs) return
    const last = own.at(-1)
    if (last !== undefined && fromUs - last.endUs < joinUs)
      own[own.length - 1] = { startUs: last.startUs, endUs: untilUs }
    else own.push({ startUs: fromUs, endUs: untilUs })
  }
  for (const { span: child } of children) {
    if (child.endUs <= child.startUs) continue
    add(Math.min(child.startUs, endUs))
    fromUs = Math.max(fromUs, child.endUs)
  }
  add(endUs)
  return own
}

/** The time of each span in which none of its children runs, in µs, by span id. Never negative. */
export function selfTimes<Span extends TreeSpan>({ nodes, childrenOf }: TimeTree<Span>): ReadonlyMap<string, number> {
  return new Map(
    nodes.map((node): [string, number] => {
      const own = selfIntervals(node.span, childrenOf(node))
      return [node.span.spanId, own.reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0)]
    }),
  )
}
