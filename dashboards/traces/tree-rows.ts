import type { Gap } from '../../lib/protocol/trace/gaps'
import type { SiblingGroup } from '../../lib/protocol/trace/sibling-groups'
import type { SpanNode, TreeSpan } from '../../lib/protocol/trace/span-tree'
import type { TimeTree } from '../../lib/protocol/trace/time-tree'

interface RowPlace {
  /** Of a span its id; a group has the id of `groupId`, a gap that of `gapId`. */
  readonly id: string
  readonly depth: number
  /** Index of the parent's row; `null` for a root. */
  readonly parent: number | null
  /** Position among its siblings, from 1, and their number. */
  readonly position: number
  readonly siblings: number
}

export interface SpanRow<Span extends TreeSpan> extends RowPlace {
  readonly kind: 'span'
  readonly node: SpanNode<Span>
  readonly expanded: boolean
  /** The nodes that it hides because it is collapsed. */
  readonly hidden: readonly SpanNode<Span>[]
}

/** Siblings of one op and name as one row. */
export interface GroupRow<Span extends TreeSpan> extends RowPlace {
  readonly kind: 'group'
  readonly group: SiblingGroup
  /** In order of their start. */
  readonly members: readonly SpanNode<Span>[]
  readonly expanded: boolean
  readonly hidden: readonly SpanNode<Span>[]
}

/** A time of its parent in which nothing was recorded. */
interface GapRow extends RowPlace {
  readonly kind: 'gap'
  readonly gap: Gap
}

export type TreeRow<Span extends TreeSpan> = SpanRow<Span> | GroupRow<Span> | GapRow

export interface Arrangement<Span extends TreeSpan> {
  readonly tree: TimeTree<Span>
  readonly nodes: ReadonlyMap<string, SpanNode<Span>>
  /** Is this row open, a span or a group? */
  readonly isOpen: (id: string) => boolean
  /** Groups of siblings by the id of the parent. */
  readonly groups: ReadonlyMap<string, readonly SiblingGroup[]>
  /** Gaps by the id of the parent. */
  readonly gaps: ReadonlyMap<string, readonly Gap[]>
  /** The only spans shown; `null` shows all. Groups and gaps are left out then. */
  readonly only: ReadonlySet<string> | null
  /** The only root shown, a span anywhere in the tree; `null` shows all. */
  readonly focus: string | null
}

type Child<Span extends TreeSpan> =
  | { readonly kind: 'span'; readonly node: SpanNode<Span>; readonly startUs: number }
  | {
      readonly kind: 'group'
      readonly group: SiblingGroup
      readonly members: readonly SpanNode<Span>[]
      readonly startUs: number
    }
  | { readonly kind: 'gap'; readonly gap: Gap; readonly startUs: number }

interface Waiting<Span extends TreeSpan> {
  readonly child: Child<Span>
  readonly depth: number
  readonly parent: number | null
  readonly position: number
  readonly siblings: number
}

const NONE: readonly never[] = []

/** The visible rows of the tree, top to bottom. Iterative, because a tree may be deep. */
export function treeRows<Span extends TreeSpan>(arrangement: Arrangement<Span>): readonly TreeRow<Span>[] {
  const { tree, isOpen, only, focus } = arrangement
  const rows: TreeRow<Span>[] = []
  const waiting: Waiting<Span>[] = []
  const wait = (children: readonly Child<Span>[], depth: number, parent: number | null): void => {
    for (let at = children.length - 1; at >= 0; at--) {
      const child = children[at]
      if (child !== undefined) waiting.push({ child, depth, parent, position: at + 1, siblings: children.length })
    }
  }
  const focused = focus === null ? undefined : arrangement.nodes.get(focus)
  wait(childrenOf(focused === undefined ? tree.roots : [focused], '', arrangement), 0, null)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // Fields are written out below: spreading an object for each row almost doubles the time.
    const { child, depth, parent, position, siblings } = next
    if (child.kind === 'gap') {
      rows.push({ kind: 'gap', id: gapId(child.gap), depth, parent, position, siblings, gap: child.gap })
    } else if (child.kind === 'group') {
      const { group, members } = child
      const expanded = isOpen(group.id)
      const hidden = expanded ? [] : [...members, ...members.flatMap((member) => nodesBelow(tree, member))]
      rows.push({ kind: 'group', id: group.id, depth, parent, position, siblings, group, members, expanded, hidden })
      if (expanded) wait(members.map(asChild), depth + 1, rows.length - 1)
    } else {
      const { node } = child
      const id = node.span.spanId
      const all = tree.childrenOf(node)
      const below = only === null ? all : all.filter(({ span }) => only.has(span.spanId))
      const expanded = below.length > 0 && isOpen(id)
      const hidden = below.length > 0 && !expanded ? nodesBelow(tree, node) : NONE
      rows.push({ kind: 'span', id, depth, parent, position, siblings, node, expanded, hidden })
      if (expanded) wait(childrenOf(below, id, arrangement), depth + 1, rows.length - 1)
    }
  }
  return rows
}

export const gapId = ({ parentId, startUs }: Gap): string => `gap:${parentId}:${startUs}`

const asChild = <Span extends TreeSpan>(node: SpanNode<Span>): Child<Span> => ({
  kind: 'span',
  node,
  startUs: node.span.startUs,
})

/** Spans, groups and gaps in order of their start: a group stands where its first member would. */
function childrenOf<Span extends TreeSpan>(
  nodes: readonly SpanNode<Span>[],
  parentId: string,
  { groups, gaps, nodes: byId, only }: Arrangement<Span>,
): readonly Child<Span>[] {
  if (only !== null) return nodes.filter(({ span }) => only.has(span.spanId)).map(asChild)
  const ofParent = groups.get(parentId) ?? []
  const between = gaps.get(parentId) ?? []
  if (ofParent.length === 0 && between.length === 0) return nodes.map(asChild)
  const grouped = new Set(ofParent.flatMap(({ memberIds }) => memberIds))
  return [
    ...nodes.filter(({ span }) => !grouped.has(span.spanId)).map(asChild),
    ...ofParent.map((group): Child<Span> => {
      const members = group.memberIds.flatMap((id) => byId.get(id) ?? [])
      return { kind: 'group', group, members, startUs: group.startUs }
    }),
    ...between.map((gap): Child<Span> => ({ kind: 'gap', gap, startUs: gap.startUs })),
  ].sort((a, b) => a.startUs - b.startUs)
}

/** When the row begins and ends. */
export const timesOf = <Span extends TreeSpan>(row: TreeRow<Span>): Pick<TreeSpan, 'startUs' | 'endUs'> =>
  row.kind === 'span' ? row.node.span : row.kind === 'group' ? row.group : row.gap

/** Can the row be collapsed or opened? */
export const isFoldable = <Span extends TreeSpan>(row: TreeRow<Span>): row is SpanRow<Span> | GroupRow<Span> =>
  row.kind === 'group' || (row.kind === 'span' && (row.expanded || row.hidden.length > 0))

/** All nodes below a node. Iterative, because a tree may be deep. */
export function nodesBelow<Span extends TreeSpan>(
  { childrenOf }: TimeTree<Span>,
  node: SpanNode<Span>,
): readonly SpanNode<Span>[] {
  const below = [...childrenOf(node)]
  // The list grows while it is read.
  for (const one of below) for (const child of childrenOf(one)) below.push(child)
  return below
}

/** The ids of what must be open to show a span: its ancestors, and the groups of both. */
export function idsAbove<Span extends TreeSpan>(
  { nodes, parents }: TimeTree<Span>,
  groups: ReadonlyMap<string, readonly SiblingGroup[]>,
  id: string,
): readonly string[] {
  const above: string[] = []
  let at = nodes.findIndex(({ span }) => span.spanId === id)
  while (at >= 0) {
    const below = nodes[at]?.span.spanId ?? ''
    const parentAt = parents[at] ?? -1
    const parent = nodes[parentAt]?.span.spanId
    if (parent !== undefined) {
      above.push(parent)
      const group = groups.get(parent)?.find(({ memberIds }) => memberIds.includes(below))
      if (group !== undefined) above.push(group.id)
    }
    at = parentAt
  }
  return above
}

/** These spans in the order of the rows that show or hide them. */
export function inRowOrder<Span extends TreeSpan>(
  ids: ReadonlySet<string>,
  { nodes }: TimeTree<Span>,
  rows: readonly TreeRow<Span>[],
): readonly string[] {
  const rowAt = rowsBySpan(rows, ids)
  const order = nodes.flatMap(({ span }) => (ids.has(span.spanId) ? [span.spanId] : []))
  return order.sort((a, b) => (rowAt.get(a) ?? 0) - (rowAt.get(b) ?? 0))
}

/** The rows that show these spans: their own, or the one that hides them. */
export function rowsBySpan<Span extends TreeSpan>(
  rows: readonly TreeRow<Span>[],
  ids: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const at = new Map<string, number>()
  for (const [index, row] of rows.entries()) {
    if (row.kind === 'gap') continue
    if (row.kind === 'span' && ids.has(row.id)) at.set(row.id, index)
    for (const { span } of row.hidden) if (ids.has(span.spanId)) at.set(span.spanId, index)
  }
  return at
}

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
  const expanded = row.kind !== 'gap' && row.expanded
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
      if (expanded) return go(at + 1)
      return isFoldable(row) ? { kind: 'expand', id: row.id } : go(at)
    case 'ArrowLeft':
    case 'h':
      if (expanded) return { kind: 'collapse', id: row.id }
      return go(row.parent ?? at)
    default:
      return null
  }
}
