'use client'

import { useRef } from 'react'
import type { SignalKind } from '../../lib/protocol/items/signal'
import type { SignalCounts } from '../../lib/wire/signal'
import { signalChoices } from '../ui/choices'
import { OPEN_PARAM, SIGNALS_PARAMS } from '../ui/links'
import { LiveListFrame } from '../ui/live-list-frame'
import { useSearchParam } from '../ui/page-address'
import { useFilter } from '../ui/use-filter'
import { mustHold } from '../ui/use-rows'
import { useSeen } from '../ui/use-seen'
import { NoSignals } from './no-signals'
import { kindWords } from './signal-kinds'
import { SignalsTable } from './signals-table'
import { useSignals } from './use-signals'

interface SignalListProps {
  readonly kind: SignalKind
  readonly onCounts: (counts: SignalCounts['counts']) => void
}

export function SignalList({ kind, onCounts }: SignalListProps) {
  const container = useRef<HTMLDivElement>(null)
  const filtering = useFilter('signals', SIGNALS_PARAMS)
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
