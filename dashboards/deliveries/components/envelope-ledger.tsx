'use client'

import { useRef } from 'react'
import { useEnvelopes } from '../../envelopes/load/use-envelopes'
import { envelopeChoices } from '../../filter/arrange/choices'
import { useSeen } from '../../filter/components/use-seen'
import { useFilter } from '../../filter/url/use-filter'
import { LiveListFrame } from '../../live/components/live-list-frame'
import { mustHold } from '../../live/load/must-hold'
import { OWN_PARAMS } from '../url/deliveries-address'
import { EnvelopeLedgerTable } from './envelope-ledger-table'
import { NothingDelivered } from './nothing-delivered'

/** Each envelope with how far it is, whom it was posted to last, and what that one said. */
export function EnvelopeLedger() {
  const container = useRef<HTMLDivElement>(null)
  const filtering = useFilter('envelopes', OWN_PARAMS)
  const state = useEnvelopes(filtering, mustHold(container))
  const { rows } = state.list
  const seen = useSeen(rows, ({ items, environment, sdk }) => ({
    type: items.map((item) => item.type),
    environment,
    sdk,
  }))
  return (
    <LiveListFrame
      title="Deliveries"
      noun="envelopes"
      state={state}
      filtering={filtering}
      choices={envelopeChoices(seen)}
      filterHint="delivery:pending, type:event, 17 …"
      empty={<NothingDelivered what="envelope" />}
      traceOf={() => null}
      container={container}
    >
      {rows.length > 0 && <EnvelopeLedgerTable envelopes={rows} />}
    </LiveListFrame>
  )
}
