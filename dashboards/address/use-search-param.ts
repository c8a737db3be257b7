'use client'

import { useCallback, useSyncExternalStore } from 'react'

const CHANGED = 'waystation:address'

/**
 * One parameter of the page's address as state. `null` when it is not there, and on the server.
 * Writing replaces the history entry, or adds one when the reader should be able to go back to what was before.
 */
export function useSearchParam(
  name: string,
): readonly [string | null, (value: string | null, history?: 'replace' | 'push') => void] {
  const value = useSyncExternalStore(
    followAddress,
    () => new URLSearchParams(window.location.search).get(name),
    () => null,
  )
  const write = useCallback(
    (next: string | null, history: 'replace' | 'push' = 'replace') => {
      const url = new URL(window.location.href)
      if (next === null || next === '') url.searchParams.delete(name)
      else url.searchParams.set(name, next)
      if (url.href === window.location.href) return
      // The router's own state must survive, or it reloads the page on the next step back.
      if (history === 'push') window.history.pushState(window.history.state, '', url)
      else window.history.replaceState(window.history.state, '', url)
      window.dispatchEvent(new Event(CHANGED))
    },
    [name],
  )
  return [value, write]
}

function followAddress(changed: () => void): () => void {
  window.addEventListener('popstate', changed)
  window.addEventListener(CHANGED, changed)
  return () => {
    window.removeEventListener('popstate', changed)
    window.removeEventListener(CHANGED, changed)
  }
}
