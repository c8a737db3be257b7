'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import { addTraces } from './typed-id'

const NOTHING: readonly string[] = []

/** The ids of the traces that the rows of a list have spoken of since the page was opened, the newest last. */
export function useSeenTraces<Row>(rows: readonly Row[], traceOf: (row: Row) => string | null): readonly string[] {
  const [seen, setSeen] = useState(NOTHING)
  const grow = useEffectEvent((newRows: readonly Row[]) => setSeen((before) => addTraces(before, newRows.map(traceOf))))
  useEffect(() => grow(rows), [rows])
  return seen
}
