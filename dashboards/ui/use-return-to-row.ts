'use client'

import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { returnPointOf, withReturnPoint } from './return-point'
import { ROW_LINK } from './use-row-keys'

interface ReturningList {
  /** Rows loaded; 0 before the first were read. */
  readonly loaded: number
  readonly older: boolean
  readonly busy: boolean
  readonly loadOlder: () => void
}

/** A step back to a list ends at the row that was opened: as many rows are loaded again as there were. */
export function useReturnToRow(container: RefObject<HTMLElement | null>, list: ReturningList): void {
  const done = useRef(false)

  const leave = useEffectEvent((event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(ROW_LINK) : null
    if (link === null) return
    const point = { href: placeOf(link), rows: list.loaded }
    window.history.replaceState(withReturnPoint(window.history.state, point), '')
  })
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const onClick = (event: MouseEvent): void => leave(event)
    element.addEventListener('click', onClick)
    return () => element.removeEventListener('click', onClick)
  }, [container])

  const goBack = useEffectEvent(() => {
    const point = cameBack() ? returnPointOf(window.history.state) : null
    if (point === null) {
      done.current = true
      return
    }
    const link = linkTo(container.current, point.href)
    if (link === undefined && list.older && list.loaded < point.rows) {
      if (!list.busy) list.loadOlder()
      return
    }
    done.current = true
    link?.focus({ preventScroll: true })
    link?.closest('tr')?.scrollIntoView({ block: 'center' })
  })
  useEffect(() => {
    if (list.loaded > 0 && !list.busy && !done.current) goBack()
  }, [list.loaded, list.busy])
}

const linkTo = (element: HTMLElement | null, href: string): HTMLAnchorElement | undefined =>
  [...(element?.querySelectorAll<HTMLAnchorElement>(ROW_LINK) ?? [])].find((link) => placeOf(link) === href)

/** Rows of one list may differ in the query alone. */
const placeOf = (link: HTMLAnchorElement): string => `${link.pathname}${link.search}`

const cameBack = (): boolean =>
  performance.getEntriesByType('navigation').some((entry) => 'type' in entry && entry.type === 'back_forward')
