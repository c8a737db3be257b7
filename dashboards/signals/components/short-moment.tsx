'use client'

import { useNow } from '../../live/load/use-now'
import { formatMoment, formatShortMoment } from '../../words/times'

/** A moment for a column; the whole of it in the title. */
export function ShortMoment({ atMs }: { readonly atMs: number }) {
  return (
    <span className="num" title={formatMoment(atMs)}>
      {formatShortMoment(atMs, useNow())}
    </span>
  )
}
