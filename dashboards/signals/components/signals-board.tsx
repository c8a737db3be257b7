'use client'

import { useState } from 'react'
import type { SignalCounts } from '../../../lib/wire/signal'
import { useSearchParam } from '../../address/use-search-param'
import { kindTabs, shownKind } from '../arrange/kind-tabs'
import { FILTER_PARAM, KIND_PARAM, OPEN_PARAM } from '../url/signals-address'
import { KindTabs } from './kind-tabs'
import { SignalList } from './signal-list'

/** `/signals`: logs, metrics, sessions and the like, one list per kind, newest first. */
export function SignalsBoard() {
  const [named, setNamed] = useSearchParam(KIND_PARAM)
  const [, setFilter] = useSearchParam(FILTER_PARAM)
  const [, setOpen] = useSearchParam(OPEN_PARAM)
  const [counts, setCounts] = useState<SignalCounts['counts'] | null>(null)
  const kind = shownKind(named)
  return (
    <>
      <KindTabs
        tabs={kindTabs(counts)}
        current={kind}
        onChoose={(chosen) => {
          setNamed(chosen)
          setFilter(null)
          setOpen(null)
        }}
      />
      <SignalList key={kind} kind={kind} onCounts={setCounts} />
    </>
  )
}
