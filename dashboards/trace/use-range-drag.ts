'use client'

import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'

interface DragRange {
  /** Parts of the element's width, 0 to 1, `from` the smaller. */
  readonly from: number
  readonly to: number
}

/** Less than this is a click. */
const LEAST_PX = 4

/** A stretch marked by dragging across an element. */
export function useRangeDrag(
  onRange: (from: number, to: number) => void,
  onDoubleClick: () => void,
): { readonly ref: RefObject<HTMLDivElement | null>; readonly range: DragRange | null } {
  const ref = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState<DragRange | null>(null)
  const done = useEffectEvent(onRange)
  const doubled = useEffectEvent(onDoubleClick)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    let startX: number | null = null
    const at = (clientX: number): number => {
      const box = element.getBoundingClientRect()
      return Math.min(Math.max((clientX - box.left) / box.width, 0), 1)
    }
    const rangeTo = (clientX: number, fromX: number): DragRange | null => {
      if (Math.abs(clientX - fromX) < LEAST_PX) return null
      const [from = 0, to = 0] = [at(fromX), at(clientX)].sort((a, b) => a - b)
      return { from, to }
    }
    const down = (event: PointerEvent): void => {
      if (event.button !== 0) return
      startX = event.clientX
      element.setPointerCapture(event.pointerId)
      event.preventDefault()
    }
    const move = (event: PointerEvent): void => {
      if (startX !== null) setRange(rangeTo(event.clientX, startX))
    }
    const up = (event: PointerEvent): void => {
      const marked = startX === null ? null : rangeTo(event.clientX, startX)
      startX = null
      setRange(null)
      if (marked !== null) done(marked.from, marked.to)
    }
    const cancel = (): void => {
      startX = null
      setRange(null)
    }
    const double = (): void => doubled()
    element.addEventListener('pointerdown', down)
    element.addEventListener('pointermove', move)
    element.addEventListener('pointerup', up)
    element.addEventListener('pointercancel', cancel)
    element.addEventListener('dblclick', double)
    return () => {
      element.removeEventListener('pointerdown', down)
      element.removeEventListener('pointermove', move)
      element.removeEventListener('pointerup', up)
      element.removeEventListener('pointercancel', cancel)
      element.removeEventListener('dblclick', double)
    }
  }, [])
  return { ref, range }
}
