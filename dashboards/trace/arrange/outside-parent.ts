import type { SpanNode, TreeSpan } from '../../../lib/trace/span-tree'

/**
 * Is it worth saying that this span lies outside its parent of another service? Not of a page load: its parent is the request
 * that rendered the page, and a page load always begins before and ends after that.
 */
export function outsideParent(node: SpanNode<TreeSpan & { readonly op: string | null }>): boolean {
  return node.skewed && node.span.op !== 'pageload'
}
