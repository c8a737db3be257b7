'use client'

import { useRef } from 'react'
import type { SignalKind } from '../../../lib/protocol/signal-kind'
import type { SignalCounts } from '../../../lib/wire/signal'
import { useSearchParam } from '../../address/use-search-param'
import { signalChoices } from '../../filter/arrange/choices'
import { useSeen } from '../../filter/components/use-seen'
import { useFilter } from '../../filter/url/use-filter'
import { LiveListFrame } from '../../live/components/live-list-frame'
import { mustHold } from '../../live/load/must-hold'
import { kindWords } from '../arrange/signal-kinds'
import { useSignals } from '../load/use-signals'
import { OPEN_PARAM, OWN_PARAMS } from '../url/signals-address'
import { NoSignals } from './no-signals'
import { SignalsTable } from './signals-table'

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
