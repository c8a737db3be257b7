'use client'

import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'

/** A click on a row selects its span, on its toggle folds it; a double click on its bar zooms to it. One listener for all rows. */
export function useRowPointer(
  scroller: RefObject<HTMLElement | null>,
  onSelect: (spanId: string) => void,
  onToggle: (spanId: string) => void,
  onFit: (spanId: string) => void,
): void {
  const selected = useEffectEvent(onSelect)
  const toggled = useEffectEvent(onToggle)
  const fitted = useEffectEvent(onFit)
  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const spanOf = (event: MouseEvent): string | null => {
      if (!(event.target instanceof Element) || event.target.closest('button, a') !== null) return null
      return event.target.closest<HTMLElement>('tr[data-row]')?.dataset.row ?? null
    }
    // The first click opens the panel, which may move the row before the second click.
    let clicked: string | null = null
    const click = (event: MouseEvent): void => {
      const spanId = spanOf(event)
      if (event.detail === 1) clicked = isIn(event, '[data-time]') ? spanId : null
      if (spanId === null) return
      if (isIn(event, '[data-toggle]')) toggled(spanId)
      else selected(spanId)
    }
    const double = (): void => {
      if (clicked !== null) fitted(clicked)
    }
    const forget = (event: MouseEvent): void => {
      if (event.detail === 1 && event.target instanceof Node && !element.contains(event.target)) clicked = null
    }
    element.addEventListener('click', click)
    document.addEventListener('click', forget)
    document.addEventListener('dblclick', double)
    return () => {
      element.removeEventListener('click', click)
      document.removeEventListener('click', forget)
      document.removeEventListener('dblclick', double)
    }
  }, [scroller])
}

const isIn = (event: MouseEvent, selector: string): boolean =>
  event.target instanceof Element && event.target.closest(selector) !== null

interface DragRange {
  /** Positions in the element, 0 to 1; `from` is the smaller one. */
  readonly from: number
  readonly to: number
}

/** A shorter drag is a click. */
const LEAST_PX = 4

/** A range selected by dragging across an element. */
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
