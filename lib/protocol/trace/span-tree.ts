interface Timed {
  readonly startUs: number
  readonly endUs: number
}

/** 2000-01-01 in µs since the epoch. Next times `clientComponentLoading` from the start of its process, so in 1970. */
export const EARLIEST_US = 946_684_800_000_000

/** Does the span start before 2000? Its sender sent no start, or counted from something else than the epoch. */
export const isUndated = ({ startUs }: Pick<Timed, 'startUs'>): boolean => startUs < EARLIEST_US

/** The times that may extend an axis: of an undated span only its end, if that is dated. @returns `null` without any */
function datedTimes(times: Timed): Timed | null {
  const { startUs, endUs } = times
  if (startUs >= EARLIEST_US) return times
  return endUs >= EARLIEST_US ? { startUs: endUs, endUs } : null
}

/** The dated times of all; the times as sent if none is dated. */
export function datedOrAll(all: readonly Timed[]): readonly Timed[] {
  const dated: Timed[] = []
  for (const one of all) {
    const times = datedTimes(one)
    if (times !== null) dated.push(times)
  }
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

interface OpenNode<Span extends TreeSpan> extends SpanNode<Span> {
  readonly children: OpenNode<Span>[]
  /** -1 until the node is placed below a root. */
  depth: number
  orphan: boolean
  skewed: boolean
}

/**
 * Builds trees in linear time except for the sorts. A span without its parent becomes a root. A cycle of parents is cut
 * at its earliest span. Each span appears exactly once: of two with one id the later.
 */
export function buildSpanTree<Span extends TreeSpan>(
  spans: readonly Span[],
): { readonly roots: readonly SpanNode<Span>[]; readonly byId: ReadonlyMap<string, SpanNode<Span>> } {
  const byId = new Map<string, OpenNode<Span>>()
  for (const span of spans) byId.set(span.spanId, { span, children: [], depth: -1, orphan: false, skewed: false })
  const roots: OpenNode<Span>[] = []
  for (const node of byId.values()) {
    const { spanId, parentSpanId } = node.span
    const hasParent = parentSpanId !== null && parentSpanId !== spanId
    const parent = hasParent ? byId.get(parentSpanId) : undefined
    node.orphan = hasParent && parent === undefined
    if (parent === undefined) roots.push(node)
    else parent.children.push(node)
  }
  for (const { children } of byId.values()) if (children.length > 1) children.sort(byNodeStart)
  const placed = roots.reduce((count, root) => count + place(root), 0)
  if (placed < byId.size) {
    // The remaining spans belong to cycles.
    const rest = [...byId.values()].filter(({ depth }) => depth < 0).sort(byNodeStart)
    roots.sort(byNodeStart)
    for (const node of rest) if (node.depth < 0) roots.push(cutCycle(node, byId))
  }
  return { roots: roots.sort(byNodeStart), byId }
}

/** Cuts the cycle above a node at its earliest span, which becomes a root. */
function cutCycle<Span extends TreeSpan>(
  from: OpenNode<Span>,
  byId: ReadonlyMap<string, OpenNode<Span>>,
): OpenNode<Span> {
  const above = ({ span }: OpenNode<Span>): OpenNode<Span> | undefined => byId.get(span.parentSpanId ?? '')
  const passed = new Set<OpenNode<Span>>()
  let node = from
  while (!passed.has(node)) {
    passed.add(node)
    node = above(node) ?? node
  }
  const path = [...passed]
  const top = path.slice(path.indexOf(node)).reduce((first, one) => (byNodeStart(one, first) < 0 ? one : first))
  const siblings = above(top)?.children ?? []
  siblings.splice(siblings.indexOf(top), 1)
  place(top)
  return top
}

/** Sets depth and skew of a root and of all below. Iterative, because a trace may be thousands of levels deep. @returns how many */
function place<Span extends TreeSpan>(root: OpenNode<Span>): number {
  root.depth = 0
  const open = [root]
  let count = 0
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    count += 1
    for (const child of node.children) {
      child.depth = node.depth + 1
      child.skewed = isSkewed(child.span, node.span)
      open.push(child)
    }
  }
  return count
}

function isSkewed(child: TreeSpan, parent: TreeSpan): boolean {
  if (child.service === parent.service || isAlwaysOutsideParent(child)) return false
  return child.startUs < parent.startUs || child.endUs > parent.endUs
}

const byNodeStart = (a: SpanNode<TreeSpan>, b: SpanNode<TreeSpan>): number => a.span.startUs - b.span.startUs

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
