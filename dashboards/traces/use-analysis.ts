'use client'

import { useMemo } from 'react'
import { groupBy } from '../../lib/group-by'
import { type CriticalPath, criticalPaths } from '../../lib/protocol/trace/critical-path'
import { type Gap, gapsOf } from '../../lib/protocol/trace/gaps'
import { type Interval, selfIntervals, selfTimes } from '../../lib/protocol/trace/self-time'
import { type SiblingGroup, siblingGroups } from '../../lib/protocol/trace/sibling-groups'
import { buildSpanTree, type SpanNode } from '../../lib/protocol/trace/span-tree'
import { type TimeTree, timeTree } from '../../lib/protocol/trace/time-tree'
import type { TraceSpan } from '../../lib/wire/trace-columns'

/** Results for all views of a trace. */
export interface TraceAnalysis {
  readonly tree: TimeTree<TraceSpan>
  readonly nodes: ReadonlyMap<string, SpanNode<TraceSpan>>
  /** Spans whose parent has not arrived. */
  readonly orphans: number
  /** Times in which the browser's main thread was busy. */
  readonly longTasks: readonly TraceSpan[]
  readonly groups: ReadonlyMap<string, readonly SiblingGroup[]>
  readonly gaps: ReadonlyMap<string, readonly Gap[]>
  readonly selfUs: ReadonlyMap<string, number>
  /** The times of a span in which no child runs. */
  readonly solidOf: (spanId: string) => readonly Interval[]
  /** Of each root; the main one first. */
  readonly paths: readonly CriticalPath[]
}

/** Intervals closer than this part of the trace become one: a row has no more pixels. */
const JOINED_SHARE = 1 / 2000

const isLongTask = ({ op }: TraceSpan): boolean => op === 'ui.long-task' || op === 'ui.long-animation-frame'

/** Arranges spans. @param traceUs the duration of the trace, which bounds what a gap is */
export function useAnalysis(spans: readonly TraceSpan[], traceUs: number): TraceAnalysis {
  const arranged = useMemo(() => {
    const { roots, byId: nodes } = buildSpanTree(spans)
    const tree = timeTree(roots)
    return { tree, nodes, groups: groupBy(siblingGroups(tree), ({ parentId }) => parentId) }
  }, [spans])
  const { tree, nodes } = arranged
  const gaps = useMemo(() => groupBy(gapsOf(tree, traceUs), ({ parentId }) => parentId), [tree, traceUs])
  const selfUs = useMemo(() => selfTimes(tree), [tree])
  const paths = useMemo(() => [...criticalPaths(tree)].sort((a, b) => Number(b.isMain) - Number(a.isMain)), [tree])
  const solidOf = useMemo(() => {
    const known = new Map<string, readonly Interval[]>()
    return (spanId: string): readonly Interval[] => {
      const node = nodes.get(spanId)
      if (node === undefined) return []
      const found = known.get(spanId) ?? selfIntervals(node.span, tree.childrenOf(node), traceUs * JOINED_SHARE)
      known.set(spanId, found)
      return found
    }
  }, [nodes, tree, traceUs])
  const orphans = useMemo(() => tree.nodes.filter(({ orphan }) => orphan).length, [tree])
  const longTasks = useMemo(() => spans.filter(isLongTask), [spans])
  return { ...arranged, orphans, longTasks, gaps, selfUs, paths, solidOf }
}
