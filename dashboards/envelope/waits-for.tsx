'use client'

import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { useNow } from '../ui/use-now'
import { useStatus } from '../ui/use-status'
import { waitingWords } from './waiting'

/** Why an envelope is still pending, as far as its upstream is known, with a running clock. */
export function WaitsFor({ envelope }: { readonly envelope: EnvelopeDetail }) {
  const read = useStatus()
  const now = useNow()
  const words = read === null ? null : waitingWords(envelope, read.status, now + read.aheadMs)
  if (words === null) return null
  return (
    <p className="num" data-waits>
      {words}
    </p>
  )
}
