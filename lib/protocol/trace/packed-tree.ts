import { numberOf } from '../../group-by'
import { analyseTree, type TreeFindings } from './analyse-tree'
import { type CriticalPath, type PathSection, pathFailure } from './critical-path'
import type { Gap } from './gaps'
import type { SiblingGroup } from './sibling-groups'
import type { SpanNode } from './span-tree'
import type { AnalysedSpan, TimeTree } from './time-tree'

/*
 * A time tree and its findings as a worker posts them: numbers in arrays that are moved, not copied. A span is its
 * position in `nodes`.
 */

/** A field of all spans: its distinct values, and for each span the index of its own. */
interface Column<Value> {
  readonly values: readonly Value[]
  readonly at: Int32Array<ArrayBuffer>
}

export interface PackedTree {
  readonly traceUs: number
  readonly parents: Int32Array<ArrayBuffer>
  readonly startUs: Float64Array<ArrayBuffer>
  readonly endUs: Float64Array<ArrayBuffer>
  /** 1 for a root whose parent has not arrived. */
  readonly orphans: Uint8Array<ArrayBuffer>
  readonly service: Column<string>
  readonly op: Column<string | null>
  readonly name: Column<string>
  readonly status: Column<string | null>
  readonly kind: Column<string | null | undefined>
}

/** Findings whose ids are positions. */
export interface PackedFindings {
  readonly groups: readonly Omit<SiblingGroup, 'memberIds'>[]
  /** The members of all groups, one group after the other. */
  readonly members: Int32Array<ArrayBuffer>
  readonly gaps: readonly Gap[]
  readonly path: Omit<CriticalPath, 'sections'> | null
  /** Of each section its span, its start and its end. */
  readonly sections: Float64Array<ArrayBuffer>
  readonly slow: Int32Array<ArrayBuffer>
}

/** Packs the tree for `analysePacked`. @param traceUs duration of the trace */
export function packTree(
  { nodes, parents }: Pick<TimeTree<AnalysedSpan>, 'nodes' | 'parents'>,
  traceUs: number,
): PackedTree {
  const count = nodes.length
  const [startUs, endUs, orphans] = [new Float64Array(count), new Float64Array(count), new Uint8Array(count)]
  const [service, op, name] = [
    new OpenColumn<string>(count),
    new OpenColumn<string | null>(count),
    new OpenColumn<string>(count),
  ]
  const [status, kind] = [new OpenColumn<string | null>(count), new OpenColumn<string | null | undefined>(count)]
  let at = 0
  // One loop over objects: `Float64Array.from(nodes, …)` for each field takes several times as long.
  for (const { span, orphan } of nodes) {
    startUs[at] = span.startUs
    endUs[at] = span.endUs
    orphans[at] = Number(orphan)
    service.set(at, span.service)
    op.set(at, span.op)
    name.set(at, span.name)
    status.set(at, span.status)
    kind.set(at, span.kind)
    at += 1
  }
  return {
    ...{ traceUs, parents: new Int32Array(parents), startUs, endUs, orphans },
    ...{ service: service.packed, op: op.packed, name: name.packed, status: status.packed, kind: kind.packed },
  }
}

class OpenColumn<Value> {
  readonly #numbers = new Map<Value, number>()
  readonly #at: Int32Array<ArrayBuffer>

  constructor(count: number) {
    this.#at = new Int32Array(count)
  }

  set(index: number, value: Value): void {
    this.#at[index] = numberOf(this.#numbers, value)
  }

  get packed(): Column<Value> {
    return { values: [...this.#numbers.keys()], at: this.#at }
  }
}

interface OpenNode extends SpanNode<AnalysedSpan> {
  children: OpenNode[]
}

/** Of all spans without children: most have none, and a list of their own would be an object more for each. */
const NO_CHILDREN: OpenNode[] = []

function unpackTree({ parents, startUs, endUs, orphans, ...columns }: PackedTree): TimeTree<AnalysedSpan> {
  const nodes: OpenNode[] = []
  const roots: OpenNode[] = []
  const valueAt = <Value>({ values, at }: Column<Value>, index: number): Value => values[at[index] ?? -1] as Value
  for (const [index, parent] of parents.entries()) {
    const span: AnalysedSpan = {
      spanId: String(index),
      parentSpanId: null,
      startUs: startUs[index] ?? 0,
      endUs: endUs[index] ?? 0,
      service: valueAt(columns.service, index),
      op: valueAt(columns.op, index),
      name: valueAt(columns.name, index),
      status: valueAt(columns.status, index),
      kind: valueAt(columns.kind, index) ?? null,
    }
    const node = { span, children: NO_CHILDREN, depth: 0, orphan: orphans[index] === 1, skewed: false }
    nodes.push(node)
    // Parents are before their children, and siblings in order.
    const above = nodes[parent]
    if (above === undefined) roots.push(node)
    else if (above.children === NO_CHILDREN) above.children = [node]
    else above.children.push(node)
  }
  return { roots, nodes, parents: [...parents], childrenOf: ({ children }) => children }
}

/** Does the same as `analyseTree`, in a worker. */
export function analysePacked(packed: PackedTree): PackedFindings {
  const { groups, gaps, path, slowIds } = analyseTree(unpackTree(packed), packed.traceUs)
  const { sections, ...about } = path ?? { sections: [] }
  return {
    groups: groups.map(({ memberIds: _members, ...group }) => group),
    members: Int32Array.from(groups.flatMap(({ memberIds }) => memberIds).map(Number)),
    gaps,
    path: 'rootId' in about ? about : null,
    sections: Float64Array.from(sections.flatMap(({ spanId, startUs, endUs }) => [Number(spanId), startUs, endUs])),
    slow: Int32Array.from(slowIds, Number),
  }
}

/** The findings with the ids of spans. @param nodes those of the packed tree */
export function unpackFindings(
  { groups, members, gaps, path, sections, slow }: PackedFindings,
  nodes: readonly SpanNode<AnalysedSpan>[],
): TreeFindings {
  const idOf = (position: number | string): string => nodes[Number(position)]?.span.spanId ?? ''
  let next = 0
  return {
    groups: groups.map((group) => {
      const memberIds: string[] = []
      for (const end = next + group.count; next < end; next += 1) memberIds.push(idOf(members[next] ?? -1))
      const [parentId, slowestId] = [idOf(group.parentId), idOf(group.slowestId)]
      return { ...group, id: `group:${memberIds[0]}`, parentId, slowestId, memberIds }
    }),
    gaps: gaps.map((gap) => ({ ...gap, parentId: idOf(gap.parentId) })),
    path: path && unpackPath(path, sections, nodes, idOf),
    slowIds: Array.from(slow, idOf),
  }
}

function unpackPath(
  path: Omit<CriticalPath, 'sections'>,
  packed: Float64Array,
  nodes: readonly SpanNode<AnalysedSpan>[],
  idOf: (position: number) => string,
): CriticalPath {
  const root = nodes[Number(path.rootId)]?.span
  const sections: PathSection[] = []
  for (let at = 0; at < packed.length; at += 3)
    sections.push({ spanId: idOf(packed[at] ?? -1), startUs: packed[at + 1] ?? 0, endUs: packed[at + 2] ?? 0 })
  // Its sentence names the root.
  return { ...path, rootId: root?.spanId ?? '', sections, failure: root === undefined ? null : pathFailure(root) }
}
