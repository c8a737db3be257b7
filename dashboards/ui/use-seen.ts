'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import type { Seen } from './choices'
import { addSeen, type ValuesOf } from './seen-values'

const NOTHING: Seen = {}

/** The values that the rows of a list have had since the page was opened. */
export function useSeen<Row>(rows: readonly Row[], valuesOf: ValuesOf<Row>): Seen {
  const [seen, setSeen] = useState<Seen>(NOTHING)
  const grow = useEffectEvent((newRows: readonly Row[]) => setSeen((before) => addSeen(before, newRows, valuesOf)))
  useEffect(() => grow(rows), [rows])
  return seen
}
