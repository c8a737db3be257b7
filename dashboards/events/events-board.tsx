'use client'

import { useRef } from 'react'
import { eventChoices } from '../ui/choices'
import { LiveListFrame } from '../ui/live-list-frame'
import { useFilter } from '../ui/use-filter'
import { mustHold } from '../ui/use-rows'
import { useSeen } from '../ui/use-seen'
import { EventsTable } from './events-table'
import { NoEvents } from './no-events'
import { useEvents } from './use-events'

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
