'use client'

import { useRef } from 'react'
import { eventChoices } from '../../filter/arrange/choices'
import { useSeen } from '../../filter/components/use-seen'
import { useFilter } from '../../filter/url/use-filter'
import { LiveListFrame } from '../../live/components/live-list-frame'
import { mustHold } from '../../live/load/must-hold'
import { useEvents } from '../load/use-events'
import { EventsTable } from './events-table'
import { NoEvents } from './no-events'

/** `/events`: the error events recorded here, newest first, also those that are in no trace. */
export function EventsBoard() {
  const container = useRef<HTMLDivElement>(null)
  const filtering = useFilter('events')
  const state = useEvents(filtering, mustHold(container))
  const { rows } = state.list
  const seen = useSeen(rows, ({ level, service, environment, release }) => ({ level, service, environment, release }))
  return (
    <LiveListFrame
      title="Errors"
      noun="errors"
      state={state}
      filtering={filtering}
      choices={eventChoices(seen)}
      filterHint="words of the title, env:staging …"
      empty={<NoEvents />}
      traceOf={(event) => event.traceId}
      container={container}
    >
      {rows.length > 0 && <EventsTable events={rows} onNarrow={filtering.narrow} />}
    </LiveListFrame>
  )
}
