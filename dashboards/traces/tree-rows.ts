import { nodesOf, type SpanNode, type TreeSpan } from '../../lib/protocol/trace/span-tree'

export interface TreeRow<Span extends TreeSpan> {
  readonly id: string
  readonly node: SpanNode<Span>
  /** Index of the parent's row; `null` for a root. */
  readonly parent: number | null
  readonly expanded: boolean
  /** Position among its siblings, from 1, and their number. */
  readonly position: number
  readonly siblings: number
  /** Ids of the spans that it hides because it is collapsed. */
  readonly hidden: readonly string[]
}

/** The visible rows of the tree, top to bottom. Iterative, because a tree may be deep. */
export function treeRows<Span extends TreeSpan>(
  roots: readonly SpanNode<Span>[],
  collapsed: ReadonlySet<string>,
): readonly TreeRow<Span>[] {
  interface Waiting {
    readonly node: SpanNode<Span>
    readonly parent: number | null
    readonly position: number
    readonly siblings: number
  }
  const rows: TreeRow<Span>[] = []
  const waiting: Waiting[] = []
  const wait = (nodes: readonly SpanNode<Span>[], parent: number | null): void => {
    for (let at = nodes.length - 1; at >= 0; at--) {
      const node = nodes[at]
      if (node !== undefined) waiting.push({ node, parent, position: at + 1, siblings: nodes.length })
    }
  }
  wait(roots, null)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, ...position } = next
    const id = node.span.spanId
    const expanded = node.children.length > 0 && !collapsed.has(id)
    const hidden = node.children.length > 0 && !expanded ? idsBelow(node) : []
    rows.push({ id, node, ...position, expanded, hidden })
    if (expanded) wait(node.children, rows.length - 1)
  }
  return rows
}

export function collapsible<Span extends TreeSpan>(roots: readonly SpanNode<Span>[]): readonly string[] {
  return nodesOf(roots)
    .filter((node) => node.children.length > 0)
    .map((node) => node.span.spanId)
}

/** The ids of all ancestors of a span, which must be expanded to show it. */
export function idsAbove<Span extends TreeSpan>(spans: ReadonlyMap<string, Span>, id: string): readonly string[] {
  const above = new Set<string>()
  for (let span = spans.get(id); span?.parentSpanId; span = spans.get(span.parentSpanId)) {
    if (above.has(span.parentSpanId)) break
    above.add(span.parentSpanId)
  }
  return [...above]
}

const idsBelow = <Span extends TreeSpan>(node: SpanNode<Span>): readonly string[] =>
  nodesOf(node.children).map((below) => below.span.spanId)

type TreeMove =
  | { readonly kind: 'go'; readonly index: number }
  | { readonly kind: 'expand' | 'collapse'; readonly id: string }

const PAGE = 20

/** The action of a key by the ARIA treegrid pattern; `null` for other keys. */
export function treeMove<Span extends TreeSpan>(
  key: string,
  rows: readonly TreeRow<Span>[],
  at: number,
): TreeMove | null {
  const last = rows.length - 1
  if (last < 0) return null
  const go = (index: number): TreeMove => ({ kind: 'go', index: Math.min(Math.max(index, 0), last) })
  const row = rows[at]
  if (row === undefined) return ['ArrowDown', 'j', 'Home'].includes(key) ? go(0) : key === 'End' ? go(last) : null
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return go(at + 1)
    case 'ArrowUp':
    case 'k':
      return go(at - 1)
    case 'PageDown':
      return go(at + PAGE)
    case 'PageUp':
      return go(at - PAGE)
    case 'Home':
      return go(0)
    case 'End':
      return go(last)
    case 'ArrowRight':
    case 'l':
      if (row.expanded) return go(at + 1)
      return row.node.children.length > 0 ? { kind: 'expand', id: row.id } : go(at)
    case 'ArrowLeft':
    case 'h':
      if (row.expanded) return { kind: 'collapse', id: row.id }
      return go(row.parent ?? at)
    default:
      return null
  }
}
