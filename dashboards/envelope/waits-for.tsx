'use client'

import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { useNow } from '../ui/use-now'
import { useStanding } from '../ui/use-standing'
import { waitingWords } from './waiting'

/** Why an envelope is still pending, as far as its upstream is known, with a running clock. */
export function WaitsFor({ envelope }: { readonly envelope: EnvelopeDetail }) {
  const read = useStanding()
  const now = useNow()
  const words = read === null ? null : waitingWords(envelope, read.standing, now + read.aheadMs)
  if (words === null) return null
  return (
    <p className="num" data-waits>
      {words}
    </p>
  )
}
