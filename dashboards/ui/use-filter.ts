'use client'

import { useCallback, useEffect, useMemo } from 'react'
import {
  type AnyFilter,
  type BoardList,
  type FilterChanges,
  filterKey,
  filterNames,
  readAddress,
} from './filter-address'
import { type AddressChanges, type UnknownParameter, unknownParameters } from './filter-problems'
import { canonicalAddress } from './filter-values'
import { changeSearch, useSearch } from './page-address'

/**
 * Changes the filter in the address. Returns whether the address changed.
 * @param how `step` for a change that Back undoes, `soon` for one that is being typed
 */
export type ChangeFilter = (changes: FilterChanges, how: 'soon' | 'step') => boolean

/** The filter of a list. It lives in the page's address, so that it can be shared and Back undoes a change. */
export interface Filtering {
  readonly list: BoardList
  readonly filter: AnyFilter
  /** Identifies the filter; `null` before the address is known. */
  readonly key: string | null
  readonly change: ChangeFilter
  /** A change of filters or other parameters that Back undoes. The same function each time. */
  readonly narrow: (changes: FilterChanges | AddressChanges) => void
  readonly clear: () => void
  readonly unknown: readonly UnknownParameter[]
}

const NO_PARAMS: readonly string[] = []

/** The filter in the page's address. `ownParams`: parameters besides the filters, the same array each time. */
export function useFilter(list: BoardList, ownParams: readonly string[] = NO_PARAMS): Filtering {
  const search = useSearch()
  const hasAliases = search !== null && canonicalAddress(list, search) !== null
  const key = search === null || hasAliases ? null : filterKey(list, readAddress(list, search))
  // Derived from the key, so that the object stays the same while other parameters change.
  const filter = useMemo(() => readAddress(list, key ?? ''), [list, key])
  useEffect(() => {
    if (hasAliases) changeSearch(canonicalAddress(list, search ?? '') ?? {}, 'soon')
  }, [list, search, hasAliases])
  const unknown = useMemo(
    () => (search === null || hasAliases ? [] : unknownParameters(list, search, ownParams)),
    [list, search, hasAliases, ownParams],
  )
  const clear = useCallback(() => {
    const removals = unknown.map((one) => one.removal)
    changeSearch(Object.assign({}, noFilters(list), ...removals), 'step')
  }, [list, unknown])
  return { list, filter, key, change: changeSearch, narrow, clear, unknown }
}

const narrow: Filtering['narrow'] = (changes) => {
  changeSearch(changes, 'step')
}

export const noFilters = (list: BoardList): Readonly<Record<string, null>> =>
  Object.fromEntries(filterNames(list).map((name) => [name, null]))
