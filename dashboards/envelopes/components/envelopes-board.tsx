'use client'

import { useRef } from 'react'
import { useSearchParam } from '../../address/use-search-param'
import { LiveListFrame } from '../../live/components/live-list-frame'
import { filterEnvelopes } from '../arrange/filter-envelopes'
import { useEnvelopes } from '../load/use-envelopes'
import { FILTER_PARAM } from '../url/envelopes-address'
import { EnvelopesTable } from './envelopes-table'
import { NoEnvelopes } from './no-envelopes'

/** `/envelopes`: every envelope received here, newest first, with what became of it. */
export function EnvelopesBoard() {
  const container = useRef<HTMLDivElement>(null)
  const [filter, setFilter] = useSearchParam(FILTER_PARAM)
  const state = useEnvelopes(() => window.scrollY > 8 || (container.current?.contains(document.activeElement) ?? false))
  const rows = filterEnvelopes(state.list.rows, filter ?? '')
  return (
    <LiveListFrame
      title="Envelopes"
      noun="envelopes"
      state={state}
      shown={rows.length}
      waiting={filterEnvelopes(state.list.waiting, filter ?? '').length}
      filter={filter ?? ''}
      onFilter={setFilter}
      filterHint="type, sdk, door, fate, id …"
      empty={<NoEnvelopes />}
      container={container}
    >
      {rows.length > 0 && <EnvelopesTable envelopes={rows} />}
    </LiveListFrame>
  )
}
