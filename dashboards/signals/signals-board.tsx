'use client'

import { useState } from 'react'
import type { SignalKind } from '../../lib/protocol/items/signal'
import type { SignalCounts } from '../../lib/wire/signal'
import { KIND_PARAM, OPEN_PARAM } from '../ui/links'
import { changeSearch, useSearchParam } from '../ui/page-address'
import { nothingOf } from '../ui/use-filter'
import { KindTabs } from './kind-tabs'
import { NoKind } from './no-kind'
import { kindTabs, shownKind } from './signal-kinds'
import { SignalList } from './signal-list'

/** `/signals`: logs, metrics, sessions and the like, one list per kind, newest first. */
export function SignalsBoard() {
  const [named] = useSearchParam(KIND_PARAM)
  const [counts, setCounts] = useState<SignalCounts['counts'] | null>(null)
  const shown = shownKind(named)
  const kind = 'kind' in shown ? shown.kind : null
  const choose = (chosen: SignalKind): void => {
    changeSearch({ ...nothingOf('signals'), [OPEN_PARAM]: null, [KIND_PARAM]: chosen }, 'step')
  }
  return (
    <>
      <KindTabs tabs={kindTabs(counts)} current={kind} onChoose={choose} />
      {'nearest' in shown ? (
        <NoKind named={named ?? ''} nearest={shown.nearest} />
      ) : (
        <SignalList key={shown.kind} kind={shown.kind} onCounts={setCounts} />
      )}
    </>
  )
}
