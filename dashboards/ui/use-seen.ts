'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import { addSeen, type Seen, type ValuesOf } from './choices'

const NOTHING: Seen = {}

/** The values that the rows of a list have had since the page was opened. */
export function useSeen<Row>(rows: readonly Row[], valuesOf: ValuesOf<Row>): Seen {
  const [seen, setSeen] = useState<Seen>(NOTHING)
  const grow = useEffectEvent((newRows: readonly Row[]) => setSeen((before) => addSeen(before, newRows, valuesOf)))
  useEffect(() => grow(rows), [rows])
  return seen
}
