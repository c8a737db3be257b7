'use client'

import { formatAge, formatMoment } from './times'
import { useNow } from './use-now'

/** How long ago, counting on; the moment itself in the title. */
export function Age({ atMs, ago = false }: { readonly atMs: number; readonly ago?: boolean }) {
  // Rounded up, so that what has just arrived is never in the future.
  const text = formatAge(atMs, useNow() + 999)
  return (
    <time className="num" dateTime={isoOf(atMs)} title={formatMoment(atMs)}>
      {ago && text !== 'now' ? `${text} ago` : text}
    </time>
  )
}

const isoOf = (atMs: number): string | undefined =>
  Number.isFinite(atMs) && Math.abs(atMs) <= 8.64e15 ? new Date(atMs).toISOString() : undefined
