import { useSyncExternalStore } from 'react'
import { type BoardPath, documentTitle, pageAt } from '../../lib/wire/pages'
import { client, failureOf } from '../ui/client'
import { handleNavigation, notifyMoved } from '../ui/navigation'
import { returnPointOf } from '../ui/page-address'
import { type Board, PAGE_BOARDS } from './page-boards'

export interface ShownPage {
  readonly pathname: string
  /** `null` when the address has no board. */
  readonly board: Board | null
  readonly parameter: string
}

const loaded = new Map<BoardPath, Board>()
const listeners = new Set<() => void>()
let shown: ShownPage | null = null
/** The last requested page: an earlier one that loads later is not shown. */
let latest = 0
/** The shown page stays at most this long while the next one reads its first rows, so that it begins with them. */
const PREPARED_WITHIN_MS = 150
let stopRestoring: () => void = () => undefined

/** The page that is shown; `null` while the first one loads. */
export const useShownPage = (): ShownPage | null => useSyncExternalStore(follow, () => shown)

/** Shows the page of the address, and from then on those of links, Back and Forward. */
export async function startPages(): Promise<void> {
  handleNavigation((url) => void show(url, 'link'))
  window.addEventListener('popstate', () => void show(new URL(window.location.href), 'return'))
  // The browser would restore the position before the board has its rows. After a reload it may.
  window.history.scrollRestoration = 'manual'
  window.addEventListener('pagehide', () => {
    window.history.scrollRestoration = 'auto'
  })
  window.addEventListener('pageshow', () => {
    window.history.scrollRestoration = 'manual'
  })
  document.addEventListener('pointerover', preload)
  document.addEventListener('focusin', preload)
  const page = pageAt(window.location.pathname)
  try {
    if (page !== null) {
      // Its document has the styles.
      loaded.set(page.path, await PAGE_BOARDS[page.path]())
      // The first rows are requested before the page renders.
      void loaded.get(page.path)?.prepare?.(page.parameter)
    }
    publish(window.location.pathname)
  } catch (error) {
    publish(window.location.pathname, () => {
      throw error
    })
  }
}

async function show(url: URL, by: 'link' | 'return'): Promise<void> {
  latest += 1
  const request = latest
  const page = pageAt(url.pathname)
  // A board that is loaded replaces the other at once: that one must not read the address of this one.
  if (page !== null && !loaded.has(page.path)) {
    try {
      await load(page.path)
    } catch {
      // Without a collector a new document would be the browser's error page: the shown rows stay, with their banner.
      if (by === 'link' && (await isUnreachable())) return
      // Another build has replaced the chunk. Its document has the new names.
      if (by === 'link') window.location.assign(url)
      else window.location.reload()
      return
    }
    if (request !== latest) return
  }
  const prepare = page === null || url.pathname === shown?.pathname ? undefined : loaded.get(page.path)?.prepare
  if (page !== null && prepare !== undefined) {
    const rest = new Promise((resolve) => window.setTimeout(resolve, PREPARED_WITHIN_MS))
    await Promise.race([prepare(page.parameter), rest])
    if (request !== latest) return
  }
  stopRestoring()
  if (by === 'link') push(url)
  const isOther = url.pathname !== shown?.pathname
  publish(url.pathname)
  if (by === 'link') {
    notifyMoved()
    window.scrollTo({ top: 0 })
  } else if (isOther) stopRestoring = scrollWhenTall(positionIn(window.history.state))
  if (isOther) document.getElementById('content')?.focus({ preventScroll: true })
}

/** Loads the board of the link or the row on which the pointer or the focus rests, which is before a click opens it. */
function preload({ target }: Event): void {
  const at = target instanceof Element ? (target.closest('a') ?? target.closest('tr')) : null
  const link = at?.matches('a') ? at : at?.querySelector('[data-row-link]')
  if (!(link instanceof HTMLAnchorElement) || link.origin !== window.location.origin) return
  const path = pageAt(link.pathname)?.path
  // The click tries again, and reports why it failed.
  if (path !== undefined && !loaded.has(path)) load(path).catch(() => null)
}

const isUnreachable = (): Promise<boolean> =>
  client.status().then(
    () => false,
    (error: unknown) => failureOf(error)?.kind === 'unreachable',
  )

async function load(path: BoardPath): Promise<void> {
  const [board] = await Promise.all([PAGE_BOARDS[path](), loadMoreStyles()])
  loaded.set(path, board)
}

let moreStyles: Promise<void> | null = null

/** Loads the style sheet that the document of the first page did not need. */
function loadMoreStyles(): Promise<void> {
  moreStyles ??= new Promise<void>((resolve, reject) => {
    const sheet = document.querySelector<HTMLLinkElement>('link[data-href]')
    if (sheet === null) return resolve()
    sheet.addEventListener('load', () => resolve(), { once: true })
    sheet.addEventListener(
      'error',
      () => {
        sheet.removeAttribute('href')
        moreStyles = null
        reject(new Error(`The style sheet ${sheet.href} did not load.`))
      },
      { once: true },
    )
    sheet.href = sheet.dataset.href ?? ''
  })
  return moreStyles
}

function publish(pathname: string, failed: Board | null = null): void {
  const page = pageAt(pathname)
  document.title = documentTitle(page)
  const board = failed ?? (page === null ? null : (loaded.get(page.path) ?? null))
  shown = { pathname, board, parameter: page?.parameter ?? '' }
  for (const listener of listeners) listener()
}

/** The key of the scroll position in the state of a history entry. */
const POSITION = 'waystationTop'

function push(url: URL): void {
  if (url.href === window.location.href) return
  const { history } = window
  history.replaceState({ ...stateOf(history.state), [POSITION]: window.scrollY }, '')
  history.pushState(null, '', url)
}

const stateOf = (state: unknown): object => (typeof state === 'object' && state !== null ? state : {})

/** A list scrolls to the row that was opened instead: new rows may have moved it. */
function positionIn(state: unknown): number {
  if (returnPointOf(state) !== null) return 0
  const found: unknown = Object.entries(stateOf(state)).find(([name]) => name === POSITION)?.[1]
  return typeof found === 'number' ? found : 0
}

/** Scrolls as soon as the page has the height, unless the reader moves first. Returns a function that stops waiting. */
function scrollWhenTall(top: number): () => void {
  const stop = new AbortController()
  const sizes = new ResizeObserver(() => {
    const isTall = document.documentElement.scrollHeight >= top + window.innerHeight
    if (isTall) stop.abort()
    window.scrollTo({ top })
  })
  stop.signal.addEventListener('abort', () => sizes.disconnect())
  for (const type of ['wheel', 'keydown', 'pointerdown', 'touchmove'])
    window.addEventListener(type, () => stop.abort(), { signal: stop.signal, passive: true })
  sizes.observe(document.body)
  return () => stop.abort()
}

function follow(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}
