'use client'

import { type RefObject, useEffect, useRef } from 'react'

/** Keeps the height or width of an element in a property of the document, for styles of other elements. */
export function useSizeProperty<Measured extends HTMLElement>(
  name: '--bar-height' | '--tools-width',
  size: 'blockSize' | 'inlineSize',
): RefObject<Measured | null> {
  const measured = useRef<Measured>(null)
  useEffect(() => {
    const { style } = document.documentElement
    const observer = new ResizeObserver(([entry]) => {
      style.setProperty(name, `${entry?.borderBoxSize[0]?.[size] ?? 0}px`)
    })
    if (measured.current !== null) observer.observe(measured.current)
    return () => {
      observer.disconnect()
      style.removeProperty(name)
    }
  }, [name, size])
  return measured
}
