'use client'

import { useCallback, useEffect, useMemo } from 'react'
import {
  type AnyFilter,
  type BoardList,
  type FilterChanges,
  filterKey,
  filterNames,
  mendAddress,
  readAddress,
} from './filter-address'
import { type AddressChanges, type StrangeName, strangeNames } from './filter-problems'
import { changeSearch, useSearch } from './page-address'
import type { ChangeFilter } from './use-typing'

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
  /** Names in the address that the list does not have. */
  readonly strange: readonly StrangeName[]
  /** Says other parameters than filters in the address, too. */
  readonly mend: (changes: AddressChanges) => void
}

const NOTHING_OWN: readonly string[] = []

/**
 * The filter that the page's address asks of a list.
 * @param own what the page itself reads from its address beside it; the same array each time.
 */
export function useFilter(list: BoardList, own: readonly string[] = NOTHING_OWN): Filtering {
  const search = useSearch()
  const isOld = search !== null && mendAddress(list, search) !== null
  const key = search === null || isOld ? null : filterKey(list, readAddress(list, search))
  // The object changes with the filter alone, not with what else an address says.
  const filter = useMemo(() => readAddress(list, key ?? ''), [list, key])
  useEffect(() => {
    if (isOld) changeSearch(mendAddress(list, search ?? '') ?? {}, 'soon')
  }, [list, search, isOld])
  const strange = useMemo(
    () => (search === null || isOld ? [] : strangeNames(list, search, own)),
    [list, search, isOld, own],
  )
  const clear = useCallback(() => {
    const without = strange.map((one) => one.without)
    changeSearch(Object.assign({}, nothingOf(list), ...without), 'step')
  }, [list, strange])
  return { list, filter, key, change: changeSearch, narrow, clear, strange, mend: narrow }
}

const narrow = (changes: AddressChanges | FilterChanges): void => {
  changeSearch(changes, 'step')
}

/** Takes every filter of a list out of the address. */
export const nothingOf = (list: BoardList): Readonly<Record<string, null>> =>
  Object.fromEntries(filterNames(list).map((name) => [name, null]))
