import type { TreeSpan } from '../../lib/protocol/trace/span-tree'
import type { TreeRow } from './tree-rows'

export type TreeMove =
  | { readonly kind: 'go'; readonly index: number }
  | { readonly kind: 'expand' | 'collapse'; readonly id: string }

const PAGE = 20

/** What a key does in a tree, after the ARIA treegrid pattern; `null` when it is not one of the tree's keys. */
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
