'use client'

import { EnvelopeList } from './envelope-list'
import { EnvelopesTable } from './envelopes-table'
import { NoEnvelopes } from './no-envelopes'

/** `/envelopes`: the envelopes received here, newest first, with what became of them. */
export function EnvelopesBoard() {
  return (
    <EnvelopeList
      title="Envelopes"
      filterHint="type:event, delivery:pending, 17 …"
      empty={<NoEnvelopes />}
      table={(envelopes) => <EnvelopesTable envelopes={envelopes} />}
    />
  )
}
