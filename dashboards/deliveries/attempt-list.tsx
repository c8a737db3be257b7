'use client'

import { useRef } from 'react'
import { attemptChoices } from '../ui/choices'
import { DELIVERIES_PARAMS } from '../ui/links'
import { LiveListFrame } from '../ui/live-list-frame'
import { useFilter } from '../ui/use-filter'
import { mustHold } from '../ui/use-rows'
import { useSeen } from '../ui/use-seen'
import { AttemptsTable } from './attempts-table'
import { NothingDelivered } from './nothing-delivered'
import { useAttempts } from './use-attempts'

/** Every attempt to deliver, newest first: to whom, what came back, how long it took. */
export function AttemptList() {
  const container = useRef<HTMLDivElement>(null)
  const filtering = useFilter('deliveries', DELIVERIES_PARAMS)
  const state = useAttempts(filtering, mustHold(container))
  const { rows } = state.list
  const seen = useSeen(rows, ({ status, upstream }) => ({
    status: status === null ? 'none' : String(status),
    upstream,
  }))
  return (
    <LiveListFrame
      title="Attempts to deliver"
      noun="attempts"
      state={state}
      filtering={filtering}
      choices={attemptChoices(seen)}
      filterHint="status:413, status:none, envelope:17, 17 …"
      empty={<NothingDelivered what="attempt" />}
      traceOf={() => null}
      container={container}
    >
      {rows.length > 0 && <AttemptsTable attempts={rows} onNarrow={filtering.narrow} />}
    </LiveListFrame>
  )
}
