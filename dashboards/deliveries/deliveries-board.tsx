'use client'

import { DeadLetters } from '../dead-letters/dead-letters'
import { LEDGERS, type Ledger, ledgerHref, SHOW_PARAM, shownLedger } from '../ui/links'
import { changeSearch, useSearchParam } from '../ui/page-address'
import { LinkTabs } from '../ui/tabs'
import { NO_QUERY } from '../ui/use-query'
import { AttemptPlot } from './attempt-plot'
import { AttemptList } from './attempts'
import { EnvelopeLedger } from './envelope-ledger'

const NAMES: Readonly<Record<Ledger, string>> = {
  envelopes: 'Envelopes',
  attempts: 'Attempts',
  'dead-letters': 'Dead letters',
}

/** `/deliveries`: the delivery status of each envelope, each attempt to deliver one, and the dead letters. */
export function DeliveriesBoard() {
  const [named] = useSearchParam(SHOW_PARAM)
  const shown = shownLedger(named)
  const choose = (ledger: Ledger): void => {
    const show = ledger === 'envelopes' ? null : ledger
    changeSearch({ ...NO_QUERY, [SHOW_PARAM]: show }, 'step')
  }
  const tabs = (
    <LinkTabs
      label="Delivery lists"
      tabs={LEDGERS.map((id) => ({ id, href: ledgerHref(id), label: NAMES[id] }))}
      current={shown}
      onChoose={choose}
    />
  )
  if (shown === 'dead-letters') return <DeadLetters tabs={tabs} />
  const above = (
    <>
      {tabs}
      <AttemptPlot />
    </>
  )
  return shown === 'attempts' ? <AttemptList tabs={above} /> : <EnvelopeLedger tabs={above} />
}
