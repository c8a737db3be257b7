import type { Interval } from './self-time'
import { isUndated, type SpanNode } from './span-tree'
import type { AnalysedSpan, TimeTree } from './time-tree'

/** A stretch of the path; times are µs since the epoch. */
export interface PathSection extends Interval {
  readonly spanId: string
}

/** The critical path of one root. Plain data, so that a worker can post it. */
export interface CriticalPath {
  readonly rootId: string
  /** True for one path of a trace; the others belong to further roots. */
  readonly isMain: boolean
  /** The parent of the root has not arrived: the path is only a part of a longer one. */
  readonly orphan: boolean
  /** In time order and without gaps or overlaps: together they are as long as the root. Empty after a failure. */
  readonly sections: readonly PathSection[]
  /** Why there is no path: a sentence; `null` when there is one. */
  readonly failure: string | null
}

/**
 * Computes the critical path of each root: at each time the one span for which the root waited. It goes back from the end
 * of the root. The span that finished last before that point continues the path; when none is left, the path returns to
 * the parent.
 *
 * - A child outside its parent does not count, nor do its descendants; a child that sticks out is clipped (clock skew).
 * - Of children that end at the same time the longest counts. A child may end exactly when the next one starts.
 * - A consumer of messages below its producer does not count, because the producer does not wait for it.
 * - Main is the longest root. An orphan is main only without other roots, as is a span that starts before 2000. Of equal
 *   lengths the earliest is main.
 *
 * Iterative, O(n log n). The definition is that of Jaeger UI 2.20.
 * @returns one path per root, in order of their start; none for an empty trace
 */
export function criticalPaths<Span extends AnalysedSpan>(tree: TimeTree<Span>): readonly CriticalPath[] {
  const main = mainRoot(tree.roots)
  return tree.roots.map((root) => {
    const { span, orphan } = root
    const about = { rootId: span.spanId, isMain: root === main, orphan }
    const failure = pathFailure(span)
    return { ...about, sections: failure === null ? sectionsOf(root, tree.childrenOf) : [], failure }
  })
}

const hasTime = ({ startUs, endUs }: AnalysedSpan): boolean => endUs > startUs && Number.isFinite(endUs - startUs)

/** Why a root has no critical path: a sentence; `null` when it has one. */
export function pathFailure(root: AnalysedSpan): string | null {
  if (hasTime(root)) return null
  const { spanId, startUs, endUs } = root
  if (endUs === startUs) return `the root span ${spanId} has no duration`
  const times = `the root span ${spanId} starts at ${startUs} µs and ends at ${endUs} µs`
  return endUs < startUs ? `${times}, before its start` : `${times}; both must be finite numbers`
}

function mainRoot<Span extends AnalysedSpan>(roots: readonly SpanNode<Span>[]): SpanNode<Span> | undefined {
  const rank = ({ span, orphan }: SpanNode<Span>): number => (!hasTime(span) ? 3 : isUndated(span) ? 2 : orphan ? 1 : 0)
  const lengthOf = ({ span }: SpanNode<Span>): number => span.endUs - span.startUs
  const [first] = roots
  if (first === undefined) return undefined
  return roots.reduce((best, one) => {
    const by = rank(one) - rank(best)
    return by < 0 || (by === 0 && lengthOf(one) > lengthOf(best)) ? one : best
  }, first)
}

/** A span on the path, clipped to its parent. */
interface Step<Span extends AnalysedSpan> extends Interval {
  readonly node: SpanNode<Span>
}

/** A span whose children are read from the last to finish to the first. */
interface OpenStep<Span extends AnalysedSpan> {
  readonly spanId: string
  readonly startUs: number
  readonly waitedFor: Step<Span>[]
}

function sectionsOf<Span extends AnalysedSpan>(
  root: SpanNode<Span>,
  childrenOf: TimeTree<Span>['childrenOf'],
): readonly PathSection[] {
  const { spanId: rootId, startUs: fromUs, endUs: toUs } = root.span
  // A trace may have 100,000 orphans.
  if (childrenOf(root).length === 0) return [{ spanId: rootId, startUs: fromUs, endUs: toUs }]
  const sections: PathSection[] = []
  let untilUs = toUs
  const add = (spanId: string, startUs: number): void => {
    const last = sections.at(-1)
    // A child without duration leaves two sections of its parent next to each other.
    if (last?.spanId === spanId) sections[sections.length - 1] = { ...last, startUs }
    else if (startUs < untilUs) sections.push({ spanId, startUs, endUs: untilUs })
    untilUs = startUs
  }
  const open: OpenStep<Span>[] = []
  const goInto = (node: SpanNode<Span>, startUs: number, endUs: number): void => {
    open.push({ spanId: node.span.spanId, startUs, waitedFor: waitedForBy(node, startUs, endUs, childrenOf(node)) })
  }
  goInto(root, fromUs, toUs)
  // A span without children is not opened, because most have none.
  for (let step = open.at(-1); step !== undefined; step = open.at(-1)) {
    let child = step.waitedFor.pop()
    while (child !== undefined && child.endUs > untilUs) child = step.waitedFor.pop()
    add(step.spanId, child?.endUs ?? step.startUs)
    if (child === undefined) open.pop()
    else if (childrenOf(child.node).length === 0) add(child.node.span.spanId, child.startUs)
    else goInto(child.node, child.startUs, child.endUs)
  }
  return sections.reverse()
}

/** The children of a span that count, clipped to it, the last to finish at the end. Each is removed once it was read. */
function waitedForBy<Span extends AnalysedSpan>(
  { span }: SpanNode<Span>,
  fromUs: number,
  untilUs: number,
  children: readonly SpanNode<Span>[],
): Step<Span>[] {
  const steps: Step<Span>[] = []
  const isSending = isProducer(span)
  for (const node of children) {
    const { startUs, endUs } = node.span
    const isInside = startUs <= endUs && startUs < untilUs && endUs > fromUs
    if (isInside && !(isSending && isConsumer(node.span)))
      steps.push({ node, startUs: Math.max(startUs, fromUs), endUs: Math.min(endUs, untilUs) })
  }
  return steps.sort((a, b) => a.endUs - b.endUs || b.startUs - a.startUs)
}

const isProducer = ({ kind, op }: AnalysedSpan): boolean =>
  kind ? kind === 'producer' : /^queue\.(?:publish|create|submit)/.test(op ?? '')

const isConsumer = ({ kind, op }: AnalysedSpan): boolean =>
  kind ? kind === 'consumer' : /^queue\.(?:process|receive|task)/.test(op ?? '')

/** The time of each span on the path, in µs, by its id. */
export function timesOnPath(path: CriticalPath | null): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { spanId, startUs, endUs } of path?.sections ?? [])
    times.set(spanId, (times.get(spanId) ?? 0) + endUs - startUs)
  return times
}
