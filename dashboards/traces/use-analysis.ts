'use client'

import { useEffect, useMemo, useRef, useState } from 'react'
import { groupBy } from '../../lib/group-by'
import { analyseTree, type TreeFindings } from '../../lib/protocol/trace/analyse-tree'
import type { CriticalPath } from '../../lib/protocol/trace/critical-path'
import type { Gap } from '../../lib/protocol/trace/gaps'
import { type Interval, selfIntervals, selfTimes } from '../../lib/protocol/trace/self-time'
import type { SiblingGroup } from '../../lib/protocol/trace/sibling-groups'
import { buildSpanTree, type SpanNode } from '../../lib/protocol/trace/span-tree'
import { type TimeTree, timeTree } from '../../lib/protocol/trace/time-tree'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import type { Analyst } from './analyst'
import type { TraceData } from './trace-data'

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
  /** Spans whose own time is at least 5 % of the trace. */
  readonly slowIds: ReadonlySet<string>
  /** Self times by span id, computed when they are first read. */
  readonly selfUs: () => ReadonlyMap<string, number>
  /** The times of a span in which no child runs. */
  readonly solidOf: (spanId: string) => readonly Interval[]
  /** Of the main root; `null` without spans, and until a worker has computed that of a large trace. */
  readonly path: CriticalPath | null
}

/** Intervals closer than this part of the trace become one: a row has no more pixels. */
const JOINED_SHARE = 1 / 2000

const isLongTask = ({ op }: TraceSpan): boolean => op === 'ui.long-task' || op === 'ui.long-animation-frame'

/** The page itself analyses a trace of at most this many spans, in the frame that shows its rows; a worker larger ones. */
export const MOST_ON_PAGE = 5000

const NO_FINDINGS: TreeFindings = { groups: [], gaps: [], path: null, slowIds: [] }

/** Arranges the spans of a trace. Its duration bounds what a gap is. */
export function useAnalysis({ spans, expected, summary: { durationUs: traceUs }, isWhole }: TraceData): TraceAnalysis {
  const { tree, nodes } = useMemo(() => {
    const { roots, byId } = buildSpanTree(spans)
    return { tree: timeTree(roots), nodes: byId }
  }, [spans])
  const findings = useFindings(tree, traceUs, { isSmall: Math.max(expected, spans.length) <= MOST_ON_PAGE, isWhole })
  const groups = useMemo(() => groupBy(findings.groups, ({ parentId }) => parentId), [findings])
  const gaps = useMemo(() => groupBy(findings.gaps, ({ parentId }) => parentId), [findings])
  const slowIds = useMemo(() => new Set(findings.slowIds), [findings])
  const selfUs = useMemo(() => {
    let times: ReadonlyMap<string, number> | null = null
    return () => {
      times ??= selfTimes(tree)
      return times
    }
  }, [tree])
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
  return { tree, nodes, orphans, longTasks, groups, gaps, slowIds, selfUs, path: findings.path, solidOf }
}

/** The findings about a tree. Those about a large one follow its rows once it is whole; meanwhile the last ones are shown. */
function useFindings(
  tree: TimeTree<TraceSpan>,
  traceUs: number,
  { isSmall, isWhole }: { readonly isSmall: boolean; readonly isWhole: boolean },
): TreeFindings {
  const here = useMemo(() => (isSmall ? analyseTree(tree, traceUs) : null), [isSmall, tree, traceUs])
  const [answered, setAnswered] = useState<TreeFindings | null>(null)
  const analyst = useRef<Promise<Analyst> | null>(null)
  const last = useRef(NO_FINDINGS)
  useEffect(
    () => () => {
      void analyst.current?.then(
        (one) => one.close(),
        // Said where it was needed.
        () => null,
      )
      analyst.current = null
    },
    [],
  )
  useEffect(() => {
    if (here !== null) last.current = here
    else if (isWhole) {
      // Loaded for the first large trace.
      analyst.current ??= import('./analyst').then((module) => new module.Analyst(module.startThread))
      void analyst.current.then(
        (one) => one.analyse({ tree, traceUs, show: setAnswered }),
        () => setAnswered(analyseTree(tree, traceUs)),
      )
    }
  }, [here, tree, traceUs, isWhole])
  return here ?? answered ?? last.current
}
