import { type CriticalPath, criticalPaths } from './critical-path'
import { type Gap, gapsOf } from './gaps'
import { selfTimes } from './self-time'
import { type SiblingGroup, siblingGroups } from './sibling-groups'
import type { AnalysedSpan, TimeTree } from './time-tree'

/** A span counts as slow from this part of the trace on, by its own time. */
const SLOW_SHARE = 0.05

/** Results for the waterfall of a trace. */
export interface TreeFindings {
  readonly groups: readonly SiblingGroup[]
  readonly gaps: readonly Gap[]
  /** Of the main root; `null` without spans. */
  readonly path: CriticalPath | null
  /** Spans whose own time is at least 5 % of the trace. */
  readonly slowIds: readonly string[]
}

/** Computes groups, gaps, critical path and slow spans. @param traceUs duration of the trace */
export function analyseTree<Span extends AnalysedSpan>(tree: TimeTree<Span>, traceUs: number): TreeFindings {
  const slowIds: string[] = []
  for (const [spanId, us] of selfTimes(tree)) if (us >= traceUs * SLOW_SHARE) slowIds.push(spanId)
  const path = criticalPaths(tree).find(({ isMain }) => isMain) ?? null
  return { groups: siblingGroups(tree), gaps: gapsOf(tree, traceUs), path, slowIds }
}
