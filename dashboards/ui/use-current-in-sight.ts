'use client'

import { type RefObject, useEffect, useRef } from 'react'

/**
 * On a narrow screen a line of links scrolls sideways: the one that is current must be among those in sight.
 * @param where what decides which of them it is, and where; `null` before that is known
 */
export function useCurrentInSight(where: string | null): RefObject<HTMLElement | null> {
  const line = useRef<HTMLElement>(null)
  useEffect(() => {
    const here = where === null ? null : line.current?.querySelector<HTMLElement>('[aria-current]')
    if (line.current === null || !here) return
    const box = line.current.getBoundingClientRect()
    const { left, right } = here.getBoundingClientRect()
    if (left < box.left || right > box.right) line.current.scrollLeft += left - box.left
  }, [where])
  return line
}
