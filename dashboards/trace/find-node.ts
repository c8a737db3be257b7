import type { SpanNode, TreeSpan } from '../../lib/protocol/trace/span-tree'

/** The node of a span; `null` when the trace does not hold it. */
export function findNode<Span extends TreeSpan>(roots: readonly SpanNode<Span>[], id: string): SpanNode<Span> | null {
  const open = [...roots]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.span.spanId === id) return node
    open.push(...node.children)
  }
  return null
}
