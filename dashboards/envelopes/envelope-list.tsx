'use client'

import { type ReactNode, useRef } from 'react'
import type { EnvelopeSummary } from '../../lib/wire/envelope'
import { envelopeChoices } from '../ui/choices'
import { LiveListFrame } from '../ui/live-list-frame'
import { useFilter } from '../ui/use-filter'
import { mustHold } from '../ui/use-rows'
import { useSeen } from '../ui/use-seen'
import { useEnvelopes } from './use-envelopes'

interface EnvelopeListProps {
  readonly title: string
  readonly filterHint: string
  /** Parameters of the page's address that are no filters. */
  readonly ownParams?: readonly string[]
  /** Shown while nothing is kept at all. */
  readonly empty: ReactNode
  readonly table: (envelopes: readonly EnvelopeSummary[]) => ReactNode
}

/** The envelopes received here, newest first, live and narrowed by a filter; what is told of each is the table's. */
export function EnvelopeList({ title, filterHint, ownParams, empty, table }: EnvelopeListProps) {
  const container = useRef<HTMLDivElement>(null)
  const filtering = useFilter('envelopes', ownParams)
  const state = useEnvelopes(filtering, mustHold(container))
  const { rows } = state.list
  const seen = useSeen(rows, ({ items, environment, sdk }) => ({
    type: items.map((item) => item.type),
    environment,
    sdk,
  }))
  return (
    <LiveListFrame
      title={title}
      noun="envelopes"
      state={state}
      filtering={filtering}
      choices={envelopeChoices(seen)}
      filterHint={filterHint}
      empty={empty}
      traceOf={() => null}
      container={container}
    >
      {rows.length > 0 && table(rows)}
    </LiveListFrame>
  )
}
