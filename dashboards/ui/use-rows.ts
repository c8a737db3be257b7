'use client'

import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { type KeyMap, useKeys } from './keys'
import { cameBack, isPageFocused } from './navigation'
import { returnPointOf, withReturnPoint } from './page-address'

export const ROW_LINK = 'a[data-row-link]'

/** Keyboard for the rows of a list. A click in a row clicks its link, unless on a control or after a selection. */
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
    ArrowDown: () => (inList() || isPageFocused() ? down() : false),
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

/** Rows of a list may be read after the list, for this long. */
const WAIT_FOR_ROW_MS = 3000

interface ReturningList {
  /** Selects the links of rows; `ROW_LINK` without it. */
  readonly links?: string
  /** Rows loaded; 0 before the first read. */
  readonly loaded: number
  readonly older: boolean
  readonly busy: boolean
  readonly loadOlder: () => void
}

/** After Back, loads as many rows as before and focuses the row that was opened. */
export function useReturnToRow(container: RefObject<HTMLElement | null>, list: ReturningList): void {
  const done = useRef(false)
  const { links = ROW_LINK } = list

  const leave = useEffectEvent((event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(links) : null
    if (link === null) return
    const point = { href: pathOf(link), rows: list.loaded }
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
    const find = () => linkTo(container.current, links, point.href)
    if (find() === undefined && list.older && list.loaded < point.rows) {
      if (!list.busy) list.loadOlder()
      return
    }
    done.current = true
    focusWhenThere(container.current, find)
  })
  useEffect(() => {
    if (list.loaded > 0 && !list.busy && !done.current) goBack()
  }, [list.loaded, list.busy])
}

const linkTo = (element: HTMLElement | null, links: string, href: string): HTMLAnchorElement | undefined =>
  [...(element?.querySelectorAll<HTMLAnchorElement>(links) ?? [])].find((link) => pathOf(link) === href)

/** Focuses a link and scrolls to it: now, or when it appears, unless the reader has gone on by then. */
function focusWhenThere(element: HTMLElement | null, find: () => HTMLAnchorElement | undefined): void {
  const began = document.activeElement
  const tryIt = (): boolean => {
    const link = find()
    if (link === undefined) return false
    link.focus({ preventScroll: true })
    const row = link.closest('tr, li') ?? link
    row.scrollIntoView({ block: 'center' })
    return true
  }
  if (tryIt() || element === null) return
  const stop = (): void => {
    changes.disconnect()
    window.clearTimeout(late)
  }
  const changes = new MutationObserver(() => {
    if (document.activeElement !== began || tryIt()) stop()
  })
  changes.observe(element, { childList: true, subtree: true })
  const late = window.setTimeout(stop, WAIT_FOR_ROW_MS)
}

/** Rows of one list may differ only in the query. */
const pathOf = (link: HTMLAnchorElement): string => `${link.pathname}${link.search}`

/** Whether someone reads the list: the page is scrolled, or pointer or focus are in the list. New rows then wait. */
export const isReadingList = (container: RefObject<HTMLElement | null>) => (): boolean => {
  const rows = container.current
  return window.scrollY > 8 || (rows !== null && (rows.contains(document.activeElement) || rows.matches(':hover')))
}
