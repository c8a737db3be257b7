'use client'

import { useRef } from 'react'
import { traceChoices } from '../ui/choices'
import { LiveListFrame } from '../ui/live-list-frame'
import { useFilter } from '../ui/use-filter'
import { mustHold } from '../ui/use-rows'
import { useSeen } from '../ui/use-seen'
import { NoTraces } from './no-traces'
import { TracesTable } from './traces-table'
import { useTraces } from './use-traces'

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
