'use client'

import { EnvelopeList } from '../envelopes/envelope-list'
import { DELIVERIES_PARAMS } from '../ui/links'
import { EnvelopeLedgerTable } from './envelope-ledger-table'
import { NothingDelivered } from './nothing-delivered'

/** Each envelope with how far it is, whom it was posted to last, and what that one said. */
export function EnvelopeLedger() {
  return (
    <EnvelopeList
      title="Deliveries"
      filterHint="delivery:pending, type:event, 17 …"
      ownParams={DELIVERIES_PARAMS}
      empty={<NothingDelivered what="envelope" />}
      table={(envelopes) => <EnvelopeLedgerTable envelopes={envelopes} />}
    />
  )
}
