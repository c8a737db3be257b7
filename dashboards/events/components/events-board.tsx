'use client'

import { useRef } from 'react'
import { useSearchParam } from '../../address/use-search-param'
import { LiveListFrame } from '../../live/components/live-list-frame'
import { filterEvents } from '../arrange/filter-events'
import { useEvents } from '../load/use-events'
import { FILTER_PARAM } from '../url/events-address'
import { EventsTable } from './events-table'
import { NoEvents } from './no-events'

/** `/events`: every error event recorded here, newest first, also those that are in no trace. */
export function EventsBoard() {
  const container = useRef<HTMLDivElement>(null)
  const [filter, setFilter] = useSearchParam(FILTER_PARAM)
  const state = useEvents(() => window.scrollY > 8 || (container.current?.contains(document.activeElement) ?? false))
  const rows = filterEvents(state.list.rows, filter ?? '')
  return (
    <LiveListFrame
      title="Errors"
      noun="errors"
      state={state}
      shown={rows.length}
      waiting={filterEvents(state.list.waiting, filter ?? '').length}
      filter={filter ?? ''}
      onFilter={setFilter}
      filterHint="title, unhandled, service, id …"
      empty={<NoEvents />}
      container={container}
    >
      {rows.length > 0 && <EventsTable events={rows} />}
    </LiveListFrame>
  )
}
