import { isAlwaysOutsideParent, type SpanNode, type TreeSpan } from './span-tree'

/** A span with the fields that the analyses of a trace read. */
export interface AnalysedSpan extends TreeSpan {
  readonly name: string
  /** As sent; see `isErrorStatus`. */
  readonly status: string | null
  /** The kind of an OpenTelemetry span, in lower case; absent for other spans. */
  readonly kind?: string | null
}

/** The spans of a trace, each below the span that waits for it. */
export interface TimeTree<Span extends TreeSpan> {
  /** In order of their start. */
  readonly roots: readonly SpanNode<Span>[]
  /** Every node, parents before their children, siblings in order of their start. */
  readonly nodes: readonly SpanNode<Span>[]
  /** For each of `nodes` the index of its parent; -1 for a root. */
  readonly parents: readonly number[]
  /** Replaces `node.children`. In order of their start. */
  readonly childrenOf: (node: SpanNode<Span>) => readonly SpanNode<Span>[]
}

/**
 * Puts each page load above the request that rendered it. Senders name that request as its parent, but in time the page
 * waits for it: without this step the page load would be cut to the length of its request. A page load becomes a root. The
 * root of its request becomes a child of its `browser.request` span, else of the page load itself, if it starts while
 * the page loads. Otherwise (a cached page, clocks that disagree) both are roots. Linear apart from sorting few nodes.
 */
export function timeTree<Span extends TreeSpan>(roots: readonly SpanNode<Span>[]): TimeTree<Span> {
  const sent = flatten(roots, sentChildren)
  // Most traces have no page load below a request.
  if (!sent.nodes.some(({ span }, index) => isAlwaysOutsideParent(span) && sent.parents[index] !== -1))
    return { roots, ...sent, childrenOf: sentChildren }
  const changed = new Map<SpanNode<Span>, readonly SpanNode<Span>[]>()
  const childrenOf = (node: SpanNode<Span>) => changed.get(node) ?? node.children
  const pages: SpanNode<Span>[] = []
  const attached = new Set<SpanNode<Span>>()
  for (const root of roots) {
    const below = detachPages(root, changed)
    const page = below.find(({ span }) => span.startUs <= root.span.startUs && root.span.startUs < span.endUs)
    pages.push(...below)
    if (page === undefined) continue
    const host = childrenOf(page).find(({ span }) => span.op === 'browser.request') ?? page
    changed.set(host, [...childrenOf(host), root].sort(byStart))
    attached.add(root)
  }
  const tops = [...roots.filter((root) => !attached.has(root)), ...pages].sort(byStart)
  return { roots: tops, ...flatten(tops, childrenOf), childrenOf }
}

/** Records the children without page loads of each span that has some. @returns the page loads, in breadth-first order */
function detachPages<Span extends TreeSpan>(
  root: SpanNode<Span>,
  changed: Map<SpanNode<Span>, readonly SpanNode<Span>[]>,
): readonly SpanNode<Span>[] {
  const pages: SpanNode<Span>[] = []
  for (const node of flatten([root], sentChildren).nodes) {
    const found = node.children.filter(({ span }) => isAlwaysOutsideParent(span))
    if (found.length === 0) continue
    pages.push(...found)
    changed.set(
      node,
      node.children.filter(({ span }) => !isAlwaysOutsideParent(span)),
    )
  }
  return pages
}

const sentChildren = <Span extends TreeSpan>({ children }: SpanNode<Span>): readonly SpanNode<Span>[] => children

function flatten<Span extends TreeSpan>(
  roots: readonly SpanNode<Span>[],
  childrenOf: (node: SpanNode<Span>) => readonly SpanNode<Span>[],
): { readonly nodes: readonly SpanNode<Span>[]; readonly parents: readonly number[] } {
  const nodes = [...roots]
  const parents = roots.map(() => -1)
  let index = 0
  // The list grows while it is read.
  for (const node of nodes) {
    for (const child of childrenOf(node)) {
      nodes.push(child)
      parents.push(index)
    }
    index += 1
  }
  return { nodes, parents }
}

const byStart = <Span extends TreeSpan>(a: SpanNode<Span>, b: SpanNode<Span>): number => a.span.startUs - b.span.startUs
