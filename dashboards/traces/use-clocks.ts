'use client'

import { useMemo } from 'react'
import { clockMoves, moveSpans } from '../../lib/protocol/trace/clock-skew'
import { buildSpanTree } from '../../lib/protocol/trace/span-tree'
import { type TimeTree, timeTree } from '../../lib/protocol/trace/time-tree'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import type { TraceData } from './trace-data'

const NONE: ReadonlyMap<string, number> = new Map()

/** A trace with the spans and errors of other clocks moved into their parents, see `clockMoves`; as sent when it is off. */
export function useClocks(trace: TraceData, isOn: boolean): TraceData {
  const { spans, errors } = trace
  const moves = useMemo(() => (isOn ? clockMoves(timeTree(buildSpanTree(spans).roots)) : NONE), [isOn, spans])
  const moved = useMemo(() => moveSpans(spans, moves), [spans, moves])
  const movedErrors = useMemo(
    () =>
      moves.size === 0
        ? errors
        : errors.map((error) => {
            const us = moves.get(error.spanId ?? '')
            return us === undefined ? error : { ...error, timestampUs: error.timestampUs + us }
          }),
    [errors, moves],
  )
  return useMemo(
    () => (moves.size === 0 ? trace : { ...trace, spans: moved, errors: movedErrors }),
    [trace, moves, moved, movedErrors],
  )
}

/** How many spans the correction moves. */
export const countMoved = ({ spans }: TraceData, tree: TimeTree<TraceSpan>): number => {
  const moved = spans.filter(({ movedUs }) => movedUs !== undefined).length
  return moved > 0 ? moved : clockMoves(tree).size
}
