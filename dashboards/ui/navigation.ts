'use client'

import { useSyncExternalStore } from 'react'
import { pageAt } from '../../lib/wire/pages'

/** Shows another page of the boards without a new document: of the app by its router, at the collector by `site`. */
export type ShowPage = (url: URL) => void

let showPage: ShowPage | null = null
/** True from a navigation until its page is shown. */
let isMoving = false
let isReturn: boolean | null = null
const leaveListeners = new Set<() => void>()
const moveListeners = new Set<() => void>()

/** Clicks on links between boards, and `navigate`, call `show` from now on. Returns a function that ends it. */
export function handleNavigation(show: ShowPage): () => void {
  showPage = show
  document.addEventListener('click', onClick)
  window.addEventListener('popstate', onReturn)
  return () => {
    showPage = null
    document.removeEventListener('click', onClick)
    window.removeEventListener('popstate', onReturn)
  }
}

/** Opens an address of this origin, without a new document if it is another board. */
export function navigate(href: string): void {
  const url = new URL(href, window.location.href)
  if (!isBetweenBoards(url) || showPage === null) {
    window.location.assign(url)
    return
  }
  for (const listener of leaveListeners) listener()
  isMoving = true
  isReturn = false
  showPage(url)
}

/** Called when the address has changed after a navigation. Does nothing after other changes. */
export function notifyMoved(): void {
  if (!isMoving) return
  isMoving = false
  for (const listener of moveListeners) listener()
}

/** Calls back before a navigation changes the address. Returns a function that stops it. */
export const onLeave = (listener: () => void): (() => void) => add(leaveListeners, listener)

/** Calls back after a navigation, Back or Forward changed the address. Returns a function that stops it. */
export function onMove(listener: () => void): () => void {
  const remove = add(moveListeners, listener)
  window.addEventListener('popstate', listener)
  return () => {
    remove()
    window.removeEventListener('popstate', listener)
  }
}

/** The path of the page's address; `null` before hydration. */
export const usePathname = (): string | null =>
  useSyncExternalStore(
    onMove,
    () => window.location.pathname,
    () => null,
  )

/** Whether Back or Forward showed this page, in the document or with it. */
export const cameBack = (): boolean =>
  isReturn ??
  performance.getEntriesByType('navigation').some((entry) => 'type' in entry && entry.type === 'back_forward')

/** True when the focus is on no control: on the page itself, where a navigation moves it. */
export const isPageFocused = (): boolean =>
  document.activeElement === document.body || document.activeElement?.id === 'content'

function add(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function onReturn(): void {
  isMoving = false
  isReturn = true
}

function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!(link instanceof HTMLAnchorElement) || link.href === '' || link.hasAttribute('download')) return
  if (link.target !== '' && link.target !== '_self') return
  const url = new URL(link.href)
  // The browser itself scrolls to a part of this page.
  const isPart = url.hash !== '' && url.pathname === window.location.pathname && url.search === window.location.search
  if (isPart || !isBetweenBoards(url) || showPage === null) return
  event.preventDefault()
  navigate(link.href)
}

const isBetweenBoards = (url: URL): boolean =>
  url.origin === window.location.origin && pageAt(url.pathname) !== null && pageAt(window.location.pathname) !== null
