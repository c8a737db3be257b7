'use client'

import { useCallback, useSyncExternalStore } from 'react'
import { changeSearch, currentSearch, followSearch } from './search'

/** One parameter of the page's address as state: `null` when it is not there, and on the server. */
export function useSearchParam(name: string): readonly [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(
    followSearch,
    () => new URLSearchParams(currentSearch()).get(name),
    () => null,
  )
  const write = useCallback((next: string | null) => changeSearch({ [name]: next }, 'soon'), [name])
  return [value, write]
}

/** The whole query of the page's address; `null` before the page is alive, when nobody knows it. */
export const useSearch = (): string | null => useSyncExternalStore(followSearch, currentSearch, () => null)
