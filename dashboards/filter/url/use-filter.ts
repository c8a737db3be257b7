'use client'

import { useCallback, useEffect, useMemo } from 'react'
import { changeSearch } from '../../address/search'
import { useSearch } from '../../address/use-search-param'
import { type AnyFilter, type BoardList, type FilterChanges, filterNames } from '../arrange/filter-of-list'
import { filterKey, mendAddress, readAddress } from './filter-address'
import type { ChangeFilter } from './typing-steps'

/** What a list is narrowed by: its address says it, so that it can be shared and a step back undoes it. */
export interface Filtering {
  readonly list: BoardList
  readonly filter: AnyFilter
  /** The filter as one text; `null` before the address is known. */
  readonly key: string | null
  /** @param how `step` for what a step back undoes, `soon` for what is being typed. */
  readonly change: ChangeFilter
  /** A change that a step back undoes; the same function for as long as the page lives. */
  readonly narrow: (changes: FilterChanges) => void
  readonly clear: () => void
}

/** The filter that the page's address asks of a list. */
export function useFilter(list: BoardList): Filtering {
  const search = useSearch()
  const isOld = search !== null && mendAddress(list, search) !== null
  const key = search === null || isOld ? null : filterKey(list, readAddress(list, search))
  // The object changes with the filter alone, not with what else an address says.
  const filter = useMemo(() => readAddress(list, key ?? ''), [list, key])
  useEffect(() => {
    if (isOld) changeSearch(mendAddress(list, search ?? '') ?? {}, 'soon')
  }, [list, search, isOld])
  const clear = useCallback(() => {
    changeSearch(nothingOf(list), 'step')
  }, [list])
  return { list, filter, key, change: changeSearch, narrow, clear }
}

const narrow = (changes: FilterChanges): void => {
  changeSearch(changes, 'step')
}

/** Takes every filter of a list out of the address. */
export const nothingOf = (list: BoardList): Readonly<Record<string, null>> =>
  Object.fromEntries(filterNames(list).map((name) => [name, null]))
