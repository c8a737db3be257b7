'use client'

import { useMemo } from 'react'
import { clockMoves, moveSpans } from '../../lib/protocol/trace/clock-skew'
import { buildSpanTree, datedOrAll } from '../../lib/protocol/trace/span-tree'
import { type TimeTree, timeTree } from '../../lib/protocol/trace/time-tree'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { extent } from './time-axis'
import type { TraceData } from './trace-data'

const NONE: ReadonlyMap<string, number> = new Map()

/** A trace with the spans, segments and errors of other clocks moved into their parents, see `clockMoves`; as sent when it is off. */
export function useClocks(trace: TraceData, isOn: boolean): TraceData {
  const { spans } = trace
  const moves = useMemo(() => (isOn ? clockMoves(timeTree(buildSpanTree(spans).roots)) : NONE), [isOn, spans])
  return useMemo(() => (moves.size === 0 ? trace : movedTrace(trace, moves)), [trace, moves])
}

function movedTrace(trace: TraceData, moves: ReadonlyMap<string, number>): TraceData {
  const segments = trace.segments.map((segment) => {
    const us = moves.get(segment.segmentId) ?? 0
    return us === 0 ? segment : { ...segment, startUs: segment.startUs + us, endUs: segment.endUs + us }
  })
  const errors = trace.errors.map((error) => {
    const us = moves.get(error.spanId ?? '') ?? 0
    return us === 0 ? error : { ...error, timestampUs: error.timestampUs + us }
  })
  const whole = extent(datedOrAll(segments))
  const times = whole && { startUs: whole.startUs, durationUs: whole.endUs - whole.startUs }
  const summary = { ...trace.summary, ...times }
  return { ...trace, summary, segments, errors, spans: moveSpans(trace.spans, moves) }
}

/** How many spans the correction moves. */
export const countMoved = ({ spans }: TraceData, tree: TimeTree<TraceSpan>): number => {
  const moved = spans.filter(({ movedUs }) => movedUs !== undefined).length
  return moved > 0 ? moved : clockMoves(tree).size
}
