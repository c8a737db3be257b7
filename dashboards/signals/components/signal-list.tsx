'use client'

import { useRef } from 'react'
import type { SignalKind } from '../../../lib/protocol/signal-kind'
import type { SignalCounts } from '../../../lib/wire/signal'
import { useSearchParam } from '../../address/use-search-param'
import { LiveListFrame } from '../../live/components/live-list-frame'
import { filterSignals } from '../arrange/filter-signals'
import { kindWords } from '../arrange/signal-kinds'
import { useSignals } from '../load/use-signals'
import { FILTER_PARAM, OPEN_PARAM } from '../url/signals-address'
import { NoSignals } from './no-signals'
import { SignalsTable } from './signals-table'

interface SignalListProps {
  readonly kind: SignalKind
  readonly onCounts: (counts: SignalCounts['counts']) => void
}

export function SignalList({ kind, onCounts }: SignalListProps) {
  const container = useRef<HTMLDivElement>(null)
  const [filter, setFilter] = useSearchParam(FILTER_PARAM)
  const [open, setOpen] = useSearchParam(OPEN_PARAM)
  const state = useSignals({
    kind,
    onCounts,
    mustHold: () => window.scrollY > 8 || (container.current?.contains(document.activeElement) ?? false),
  })
  const rows = filterSignals(state.list.rows, filter ?? '')
  const { name, noun, filterHint } = kindWords(kind)
  return (
    <LiveListFrame
      title={name}
      noun={noun}
      state={state}
      shown={rows.length}
      waiting={filterSignals(state.list.waiting, filter ?? '').length}
      filter={filter ?? ''}
      onFilter={setFilter}
      filterHint={filterHint}
      empty={<NoSignals kind={kind} />}
      container={container}
    >
      {rows.length > 0 && <SignalsTable kind={kind} signals={rows} open={open} onOpen={setOpen} />}
    </LiveListFrame>
  )
}
