'use client'

import { formatMoment, formatShortMoment } from '../ui/times'
import { useNow } from '../ui/use-now'

/** A moment for a column; the whole of it in the title. */
export function ShortMoment({ atMs }: { readonly atMs: number }) {
  return (
    <span className="num" title={formatMoment(atMs)}>
      {formatShortMoment(atMs, useNow())}
    </span>
  )
}
