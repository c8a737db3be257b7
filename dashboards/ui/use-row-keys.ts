'use client'

import { type RefObject, useEffect } from 'react'
import { type KeyMap, useKeys } from './use-keys'

/** The one link of a row that opens it. */
export const ROW_LINK = 'a[data-row-link]'

/**
 * Moves through the rows of a list by keyboard: each row has one link marked `data-row-link`. A click anywhere in a row
 * is a click on its link, unless it was on something else that answers clicks, or ended a selection of text.
 */
export function useRowKeys(container: RefObject<HTMLElement | null>, more: KeyMap): void {
  const links = (): HTMLAnchorElement[] => [...(container.current?.querySelectorAll<HTMLAnchorElement>(ROW_LINK) ?? [])]
  const focusRow = (pick: (at: number, last: number) => number) => (): boolean => {
    const all = links()
    const active = document.activeElement
    const at = active instanceof HTMLAnchorElement ? all.indexOf(active) : -1
    const next = all[Math.min(Math.max(pick(at, all.length - 1), 0), all.length - 1)]
    if (next === undefined) return false
    next.focus({ preventScroll: true })
    next.closest('tr')?.scrollIntoView({ block: 'nearest' })
    return true
  }
  const inList = (): boolean => links().some((link) => link === document.activeElement)
  const down = focusRow((at) => at + 1)
  const up = focusRow((at) => (at === -1 ? 0 : at - 1))
  useKeys({
    j: down,
    k: up,
    ArrowDown: () => (inList() || document.activeElement === document.body ? down() : false),
    ArrowUp: () => (inList() ? up() : false),
    Home: () => (inList() ? focusRow(() => 0)() : false),
    End: () => (inList() ? focusRow((_, last) => last)() : false),
    Escape: () => {
      if (!inList() || !(document.activeElement instanceof HTMLElement)) return false
      document.activeElement.blur()
      return true
    },
    ...more,
  })
  useEffect(() => {
    const list = container.current
    if (list === null) return
    const follow = (event: MouseEvent): void => {
      if (!(event.target instanceof Element) || event.target.closest('a, button, input, summary') !== null) return
      const link = event.target.closest('tr')?.querySelector<HTMLAnchorElement>(ROW_LINK)
      if (link === null || link === undefined || window.getSelection()?.isCollapsed === false) return
      if (event.metaKey || event.ctrlKey) window.open(link.href, '_blank', 'noopener')
      else link.click()
    }
    list.addEventListener('click', follow)
    return () => list.removeEventListener('click', follow)
  }, [container])
}
