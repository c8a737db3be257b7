'use client'

import { useRef } from 'react'
import { attemptChoices } from '../../filter/arrange/choices'
import { useSeen } from '../../filter/components/use-seen'
import { useFilter } from '../../filter/url/use-filter'
import { LiveListFrame } from '../../live/components/live-list-frame'
import { mustHold } from '../../live/load/must-hold'
import { useAttempts } from '../load/use-attempts'
import { OWN_PARAMS } from '../url/deliveries-address'
import { AttemptsTable } from './attempts-table'
import { NothingDelivered } from './nothing-delivered'

/** Every attempt to deliver, newest first: to whom, what came back, how long it took. */
export function AttemptList() {
  const container = useRef<HTMLDivElement>(null)
  const filtering = useFilter('deliveries', OWN_PARAMS)
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
