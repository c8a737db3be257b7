'use client'

import { type RefObject, useEffect, useEffectEvent } from 'react'

/** A click on a row selects its span, one on its toggle folds it, a double click on its time fits it. One listener for all. */
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
      return event.target.closest<HTMLElement>('tr[data-span]')?.dataset.span ?? null
    }
    // The first click opens the panel, and the row may move away from under the second.
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
