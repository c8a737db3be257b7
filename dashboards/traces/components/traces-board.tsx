'use client'

import { useRef } from 'react'
import { useSearchParam } from '../../address/use-search-param'
import { LiveListFrame } from '../../live/components/live-list-frame'
import { filterTraces } from '../arrange/filter-traces'
import { useTraces } from '../load/use-traces'
import { FILTER_PARAM, ONLY_ERRORS, ONLY_PARAM } from '../url/traces-address'
import { NoTraces } from './no-traces'
import styles from './traces-board.module.css'
import { TracesTable } from './traces-table'

/** `/traces`: every trace recorded here, newest first, growing without moving under the reader. */
export function TracesBoard() {
  const container = useRef<HTMLDivElement>(null)
  const [filter, setFilter] = useSearchParam(FILTER_PARAM)
  const [only, setOnly] = useSearchParam(ONLY_PARAM)
  const onlyErrors = only === ONLY_ERRORS
  const state = useTraces(() => window.scrollY > 8 || (container.current?.contains(document.activeElement) ?? false))
  const rows = filterTraces(state.list.rows, filter ?? '', onlyErrors)
  return (
    <LiveListFrame
      title="Traces"
      noun="traces"
      state={state}
      shown={rows.length}
      waiting={filterTraces(state.list.waiting, filter ?? '', onlyErrors).length}
      filter={filter ?? ''}
      onFilter={(text) => {
        setFilter(text)
        if (text === null) setOnly(null)
      }}
      filterHint="name, op, service, id …"
      tools={
        <label className={styles.only}>
          <input
            type="checkbox"
            checked={onlyErrors}
            onChange={(event) => setOnly(event.target.checked ? ONLY_ERRORS : null)}
          />
          with errors
        </label>
      }
      empty={<NoTraces />}
      container={container}
    >
      {rows.length > 0 && <TracesTable traces={rows} />}
    </LiveListFrame>
  )
}
