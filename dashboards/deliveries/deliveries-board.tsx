'use client'

import { DeadLetters } from '../dead-letters/dead-letters'
import { type Ledger, SHOW_PARAM, shownLedger } from '../ui/links'
import { changeSearch, useSearchParam } from '../ui/page-address'
import { nothingOf } from '../ui/use-filter'
import { AttemptList } from './attempt-list'
import { EnvelopeLedger } from './envelope-ledger'
import { LedgerTabs } from './ledger-tabs'

/** `/deliveries`: what became of each envelope, each attempt to deliver one, and those that wait for a person. */
export function DeliveriesBoard() {
  const [named] = useSearchParam(SHOW_PARAM)
  const shown = shownLedger(named)
  const choose = (ledger: Ledger): void => {
    changeSearch(
      {
        ...nothingOf('envelopes'),
        ...nothingOf('deliveries'),
        [SHOW_PARAM]: ledger === 'envelopes' ? null : ledger,
      },
      'step',
    )
  }
  return (
    <>
      <LedgerTabs current={shown} onChoose={choose} />
      {shown === 'envelopes' && <EnvelopeLedger />}
      {shown === 'attempts' && <AttemptList />}
      {shown === 'dead-letters' && <DeadLetters />}
    </>
  )
}
