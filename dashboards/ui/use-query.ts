'use client'

import { useEffect } from 'react'
import type { QueryList } from '../../lib/filter/keys'
import { changeSearch, currentSearch, useSearch } from './page-address'
import { narrowQuery, queryOfAddress } from './query-terms'

/** Keeps the rows with a value of a key, or with `isExcluded` those without it. */
export type Narrow = (key: string, value: string, isExcluded?: boolean) => void

/** The query of a list. It lives in the page's address, so that it can be shared and Back undoes a change. */
export interface Querying {
  readonly list: QueryList
  readonly query: string
  /** The query; `null` before the address is known. */
  readonly key: string | null
  /**
   * Returns whether the address changed.
   * @param how `step` for a change that Back undoes, `soon` for one that is being typed
   */
  readonly change: (query: string, how: 'soon' | 'step') => boolean
  /** The same function each time: rows are memoised by it. */
  readonly narrow: Narrow
}

export const NO_PARAMS: readonly string[] = []

const change: Querying['change'] = (query, how) => changeSearch({ q: query.trim() }, how)

const queryIn = (search: string): string => new URLSearchParams(search).get('q') ?? ''

const narrow: Narrow = (key, value, isExcluded = false) => {
  change(narrowQuery(queryIn(currentSearch()), key, value, isExcluded), 'step')
}

/** The query in the page's address. `ownParams`: parameters that are no filters, the same array each time. */
export function useQuery(list: QueryList, ownParams: readonly string[] = NO_PARAMS): Querying {
  const search = useSearch()
  const moved = search === null ? null : queryOfAddress(list, search, ownParams)
  const isOld = moved !== null
  useEffect(() => {
    if (isOld) changeSearch(queryOfAddress(list, search ?? '', ownParams) ?? {}, 'soon')
  }, [list, search, ownParams, isOld])
  const key = search === null || isOld ? null : queryIn(search)
  return { list, query: key ?? '', key, change, narrow }
}

/** Changes of an address that leave a list for another one on the same page. */
export const NO_QUERY: Readonly<Record<string, null>> = { q: null }
