'use client'

import { useRef } from 'react'
import { envelopeChoices } from '../../filter/arrange/choices'
import { useSeen } from '../../filter/components/use-seen'
import { useFilter } from '../../filter/url/use-filter'
import { LiveListFrame } from '../../live/components/live-list-frame'
import { mustHold } from '../../live/load/must-hold'
import { useEnvelopes } from '../load/use-envelopes'
import { EnvelopesTable } from './envelopes-table'
import { NoEnvelopes } from './no-envelopes'

/** `/envelopes`: the envelopes received here, newest first, with what became of them. */
export function EnvelopesBoard() {
  const container = useRef<HTMLDivElement>(null)
  const filtering = useFilter('envelopes')
  const state = useEnvelopes(filtering, mustHold(container))
  const { rows } = state.list
  const seen = useSeen(rows, ({ items, environment, sdk }) => ({
    type: items.map((item) => item.type),
    environment,
    sdk,
  }))
  return (
    <LiveListFrame
      title="Envelopes"
      noun="envelopes"
      state={state}
      filtering={filtering}
      choices={envelopeChoices(seen)}
      filterHint="type:event, delivery:pending, 17 …"
      empty={<NoEnvelopes />}
      traceOf={() => null}
      container={container}
    >
      {rows.length > 0 && <EnvelopesTable envelopes={rows} />}
    </LiveListFrame>
  )
}
