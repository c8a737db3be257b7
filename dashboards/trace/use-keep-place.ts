'use client'

import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Rows that come in above what the reader sees push it down by their height: this pulls the scroller along. */
export function useKeepPlace(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly { readonly id: string }[],
  rowHeight: number,
): void {
  const before = useRef(rows)
  useLayoutEffect(() => {
    const element = scroller.current
    const old = before.current
    before.current = rows
    if (element === null || old === rows || element.scrollTop === 0) return
    const top = Math.floor(element.scrollTop / rowHeight)
    const now = new Map(rows.map((row, at) => [row.id, at]))
    // The first row still there, in case the topmost one went.
    for (let at = top; at < old.length; at++) {
      const id = old[at]?.id
      const moved = id === undefined ? undefined : now.get(id)
      if (moved === undefined) continue
      if (moved !== at) element.scrollTop += (moved - at) * rowHeight
      return
    }
  }, [scroller, rows, rowHeight])
}
