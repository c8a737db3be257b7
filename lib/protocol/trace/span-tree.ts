/** What the tree needs to know of a span; whoever calls brings more and gets it back. */
export interface TreeSpan {
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly service: string
  readonly op: string | null
  /** µs since the epoch. */
  readonly startUs: number
  readonly endUs: number
}

export interface SpanNode<Span extends TreeSpan> {
  readonly span: Span
  /** By start; those of one start as they were given, which is as they were sent. */
  readonly children: readonly SpanNode<Span>[]
  readonly depth: number
  /** It names a parent that is not here (yet): shown as a root of its own, never dropped. */
  readonly orphan: boolean
  /**
   * A child of another service that lies outside its parent, and is no page load: two clocks disagree, or the parent did not
   * wait for it. Flagged, not hidden.
   */
  readonly skewed: boolean
}

/**
 * Spans to trees, in linear time but for the sort. A span whose parent is missing becomes a root; a cycle of parents
 * (ids are the sender's word) is cut at its earliest span, so that each span appears exactly once.
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
    else push(childrenOf, parent.spanId, span)
  }
  const placed = new Set<string>()
  const trees = roots.map((span) => grow(span, childrenOf, byId, placed))
  // What is left hangs from cycles.
  for (const span of ordered) {
    if (!placed.has(span.spanId)) trees.push(grow(cycleAbove(span, byId), childrenOf, byId, placed))
  }
  return { roots: trees.sort((a, b) => byStart(a.span, b.span)) }
}

/** The earliest span of the cycle that a span's parents end in. */
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

/** Iterative: a trace may be thousands of levels deep, the call stack may not. */
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

function push<Span>(map: Map<string, Span[]>, key: string, span: Span): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [span])
  else list.push(span)
}

/**
 * Does a span lie outside its parent by any clock? The parent of a page load is the request that rendered the page: the page
 * begins before that and ends after it, or comes from a cache.
 */
export const isAlwaysOutsideParent = ({ op }: { readonly op: string | null }): boolean => op === 'pageload'
