'use client'

import { useRef } from 'react'
import type { SignalKind } from '../../lib/protocol/signal-kind'
import type { SignalCounts } from '../../lib/wire/signal'
import { signalChoices } from '../ui/choices'
import { LiveListFrame } from '../ui/live-list-frame'
import { mustHold } from '../ui/must-hold'
import { useFilter } from '../ui/use-filter'
import { useSearchParam } from '../ui/use-search-param'
import { useSeen } from '../ui/use-seen'
import { NoSignals } from './no-signals'
import { kindWords } from './signal-kinds'
import { OPEN_PARAM, OWN_PARAMS } from './signals-address'
import { SignalsTable } from './signals-table'
import { useSignals } from './use-signals'

interface SignalListProps {
  readonly kind: SignalKind
  readonly onCounts: (counts: SignalCounts['counts']) => void
}

export function SignalList({ kind, onCounts }: SignalListProps) {
  const container = useRef<HTMLDivElement>(null)
  const filtering = useFilter('signals', OWN_PARAMS)
  const [open, setOpen] = useSearchParam(OPEN_PARAM)
  const state = useSignals({ kind, filtering, onCounts, mustHold: mustHold(container) })
  const { rows } = state.list
  const seen = useSeen(rows, ({ level, service, environment, release }) => ({ level, service, environment, release }))
  const { name, noun, level, filterHint } = kindWords(kind)
  return (
    <LiveListFrame
      title={name}
      noun={noun}
      state={state}
      filtering={filtering}
      choices={signalChoices(seen, level)}
      filterHint={filterHint}
      empty={<NoSignals kind={kind} />}
      traceOf={(signal) => signal.traceId}
      container={container}
    >
      {rows.length > 0 && (
        <SignalsTable kind={kind} signals={rows} open={open} onOpen={setOpen} onNarrow={filtering.narrow} />
      )}
    </LiveListFrame>
  )
}
