'use client'

import { useRef } from 'react'
import { traceChoices } from '../../filter/arrange/choices'
import { useSeen } from '../../filter/components/use-seen'
import { useFilter } from '../../filter/url/use-filter'
import { LiveListFrame } from '../../live/components/live-list-frame'
import { mustHold } from '../../live/load/must-hold'
import { useTraces } from '../load/use-traces'
import { NoTraces } from './no-traces'
import { TracesTable } from './traces-table'

/** `/traces`: the traces recorded here, newest first, growing without moving under the reader. */
export function TracesBoard() {
  const container = useRef<HTMLDivElement>(null)
  const filtering = useFilter('traces')
  const state = useTraces(filtering, mustHold(container))
  const { rows } = state.list
  const seen = useSeen(rows, ({ op, services, environment, release }) => ({
    op,
    service: services,
    environment,
    release,
  }))
  return (
    <LiveListFrame
      title="Traces"
      noun="traces"
      state={state}
      filtering={filtering}
      choices={traceChoices(seen)}
      filterHint="words, op:pageload, duration:>250ms …"
      empty={<NoTraces />}
      traceOf={(trace) => trace.traceId}
      container={container}
    >
      {rows.length > 0 && <TracesTable traces={rows} onNarrow={filtering.narrow} />}
    </LiveListFrame>
  )
}
