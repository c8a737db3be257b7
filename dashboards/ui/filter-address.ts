import { type FilteredList, type FilterName, type FilterOf, LIST_FILTERS } from '../../lib/wire/filter'

export type BoardList = Extract<FilteredList, 'traces' | 'events' | 'errors' | 'envelopes' | 'signals' | 'deliveries'>

export type AnyFilter = { readonly [Name in FilterName]?: string | undefined }

/** Changes of a filter; `null` removes a part. */
export type FilterChanges = { readonly [Name in FilterName]?: string | null }

export const filterNames = (list: BoardList): readonly FilterName[] => LIST_FILTERS[list]

export const isFilterName = (list: BoardList, name: string): name is FilterName =>
  filterNames(list).some((known) => known === name)

export function filterFor<List extends BoardList>(list: List, filter: AnyFilter): FilterOf<List> {
  const known: readonly (FilterName & keyof FilterOf<List>)[] = LIST_FILTERS[list]
  return Object.fromEntries(known.map((name) => [name, filter[name]])) as FilterOf<List>
}

/** The filter in the query of an address; other parameters are ignored. */
export function readAddress(list: BoardList, search: string): AnyFilter {
  const params = new URLSearchParams(search)
  return Object.fromEntries(
    filterNames(list).flatMap((name) => {
      const value = params.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    }),
  )
}

/** The filter as a query with its names in a fixed order: equal filters have equal keys. */
export const filterKey = (list: BoardList, filter: AnyFilter): string =>
  new URLSearchParams(
    filterNames(list).flatMap((name) => {
      const value = filter[name]
      return value === undefined ? [] : [[name, value]]
    }),
  ).toString()
