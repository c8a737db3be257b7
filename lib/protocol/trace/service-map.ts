import { addToGroup, groupBy } from '../../group-by'
import { type SpanTotals, totalsOf } from './span-totals'
import type { AnalysedSpan, TimeTree } from './time-tree'

/** A service of a trace. */
export interface ServiceNode extends SpanTotals {
  readonly service: string
  /** The sum of the times in which no child runs, in µs. */
  readonly selfUs: number
}

/** Calls from one service to another: spans of `to` directly below a span of `from`. */
export interface ServiceEdge extends SpanTotals {
  readonly from: string
  readonly to: string
}

export interface ServiceMap {
  readonly services: readonly ServiceNode[]
  readonly edges: readonly ServiceEdge[]
}

/**
 * The services of a trace, and the calls between them, both in order of their first span. A page calls the server that
 * rendered it (see `timeTree`). @param selfUs self times by span id, see `selfTimes`
 */
export function serviceMap<Span extends AnalysedSpan>(
  { nodes, parents }: TimeTree<Span>,
  selfUs: ReadonlyMap<string, number>,
): ServiceMap {
  const calls = new Map<string, Map<string, Span[]>>()
  for (const [index, { span }] of nodes.entries()) {
    const from = nodes[parents[index] ?? -1]?.span.service
    if (from === undefined || from === span.service) continue
    const ofCaller = calls.get(from) ?? new Map<string, Span[]>()
    calls.set(from, ofCaller)
    addToGroup(ofCaller, span.service, span)
  }
  const byService = groupBy(
    nodes.map(({ span }) => span),
    ({ service }) => service,
  )
  return {
    services: [...byService].map(([service, spans]) => ({
      service,
      ...totalsOf(spans),
      selfUs: spans.reduce((sum, { spanId }) => sum + (selfUs.get(spanId) ?? 0), 0),
    })),
    edges: [...calls].flatMap(([from, called]) => [...called].map(([to, spans]) => ({ from, to, ...totalsOf(spans) }))),
  }
}
