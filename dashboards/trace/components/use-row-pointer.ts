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
    const click = (event: MouseEvent): void => {
      const spanId = spanOf(event)
      if (spanId === null) return
      if (isIn(event, '[data-toggle]')) toggled(spanId)
      else selected(spanId)
    }
    const double = (event: MouseEvent): void => {
      const spanId = spanOf(event)
      if (spanId !== null && isIn(event, '[data-time]')) fitted(spanId)
    }
    element.addEventListener('click', click)
    element.addEventListener('dblclick', double)
    return () => {
      element.removeEventListener('click', click)
      element.removeEventListener('dblclick', double)
    }
  }, [scroller])
}

const isIn = (event: MouseEvent, selector: string): boolean =>
  event.target instanceof Element && event.target.closest(selector) !== null
