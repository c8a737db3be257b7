import { addToGroup } from '../../group-by'

interface Timed {
  readonly startUs: number
  readonly endUs: number
}

/** 2000-01-01 in µs since the epoch. Next times `clientComponentLoading` from the start of its process, so in 1970. */
export const EARLIEST_US = 946_684_800_000_000

/** Does the span start before 2000? Its sender sent no start, or counted from something else than the epoch. */
export const isUndated = ({ startUs }: Pick<Timed, 'startUs'>): boolean => startUs < EARLIEST_US

/** The times that may extend an axis: of an undated span only its end, if that is dated. @returns `null` without any */
function datedTimes({ startUs, endUs }: Timed): Timed | null {
  if (startUs >= EARLIEST_US) return { startUs, endUs }
  return endUs >= EARLIEST_US ? { startUs: endUs, endUs } : null
}

/** The dated times of all; the times as sent if none is dated. */
export function datedOrAll(all: readonly Timed[]): readonly Timed[] {
  const dated = all.flatMap((one) => datedTimes(one) ?? [])
  return dated.length > 0 ? dated : all
}

export interface TreeSpan {
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly service: string
  readonly op: string | null
  readonly startUs: number
  readonly endUs: number
}

export interface SpanNode<Span extends TreeSpan> {
  readonly span: Span
  /** In order of their start; spans with the same start keep the order in which they were sent. */
  readonly children: readonly SpanNode<Span>[]
  readonly depth: number
  /** True when its parent has not arrived (yet): the span is shown as a root, never dropped. */
  readonly orphan: boolean
  /** A child of another service outside its parent: two clocks disagree, or the parent did not wait. Not page loads. */
  readonly skewed: boolean
}

/**
 * Builds trees in linear time except for the sort. A span without its parent becomes a root. A cycle of parents is cut
 * at its earliest span. Each span appears exactly once.
 */
export function buildSpanTree<Span extends TreeSpan>(
  spans: readonly Span[],
): { readonly roots: readonly SpanNode<Span>[] } {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const ordered = [...byId.values()].sort(byStart)
  const childrenOf = new Map<string, Span[]>()
  const roots: Span[] = []
  for (const span of ordered) {
    const parent = span.parentSpanId === null ? undefined : byId.get(span.parentSpanId)
    if (parent === undefined || parent === span) roots.push(span)
    else addToGroup(childrenOf, parent.spanId, span)
  }
  const placed = new Set<string>()
  const trees = roots.map((span) => grow(span, childrenOf, byId, placed))
  // The remaining spans belong to cycles.
  for (const span of ordered) {
    if (!placed.has(span.spanId)) trees.push(grow(cycleAbove(span, byId), childrenOf, byId, placed))
  }
  return { roots: trees.sort((a, b) => byStart(a.span, b.span)) }
}

function cycleAbove<Span extends TreeSpan>(from: Span, byId: ReadonlyMap<string, Span>): Span {
  const passed = new Set<Span>()
  let span = from
  while (!passed.has(span)) {
    passed.add(span)
    span = byId.get(span.parentSpanId ?? '') ?? span
  }
  const path = [...passed]
  return path.slice(path.indexOf(span)).reduce((first, one) => (byStart(one, first) < 0 ? one : first))
}

interface OpenNode<Span extends TreeSpan> extends SpanNode<Span> {
  readonly children: SpanNode<Span>[]
}

/** Iterative, because a trace may be thousands of levels deep. */
function grow<Span extends TreeSpan>(
  root: Span,
  childrenOf: ReadonlyMap<string, readonly Span[]>,
  byId: ReadonlyMap<string, Span>,
  placed: Set<string>,
): SpanNode<Span> {
  const orphan = root.parentSpanId !== null && root.parentSpanId !== root.spanId && !byId.has(root.parentSpanId)
  const top: OpenNode<Span> = { span: root, children: [], depth: 0, orphan, skewed: false }
  placed.add(root.spanId)
  const open: OpenNode<Span>[] = [top]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const child of childrenOf.get(node.span.spanId) ?? []) {
      if (placed.has(child.spanId)) continue
      placed.add(child.spanId)
      const grown: OpenNode<Span> = {
        span: child,
        children: [],
        depth: node.depth + 1,
        orphan: false,
        skewed: isSkewed(child, node.span),
      }
      node.children.push(grown)
      open.push(grown)
    }
  }
  return top
}

function isSkewed(child: TreeSpan, parent: TreeSpan): boolean {
  if (child.service === parent.service || isAlwaysOutsideParent(child)) return false
  return child.startUs < parent.startUs || child.endUs > parent.endUs
}

function byStart(a: TreeSpan, b: TreeSpan): number {
  return a.startUs - b.startUs
}

/** The request that rendered the page is the parent of its page load, which begins before it or comes from a cache. */
export const isAlwaysOutsideParent = ({ op }: { readonly op: string | null }): boolean => op === 'pageload'

/** Every node, parents before their children. Iterative, because a trace may be thousands of levels deep. */
export function nodesOf<Span extends TreeSpan>(roots: readonly SpanNode<Span>[]): readonly SpanNode<Span>[] {
  const nodes: SpanNode<Span>[] = []
  const open = roots.toReversed()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes.push(node)
    for (const child of node.children.toReversed()) open.push(child)
  }
  return nodes
}
