import { type FilteredList, type FilterName, type FilterOf, LIST_FILTERS } from '../../lib/wire/filter'

/** The lists that have a board. */
export type BoardList = Extract<FilteredList, 'traces' | 'events' | 'envelopes' | 'signals' | 'deliveries'>

/** A filter of any list, by its parameters' names. */
export type AnyFilter = { readonly [Name in FilterName]?: string | undefined }

/** What is to be another way; `null` is asked for no more. */
export type FilterChanges = { readonly [Name in FilterName]?: string | null }

export const filterNames = (list: BoardList): readonly FilterName[] => LIST_FILTERS[list]

export const isFilterName = (list: BoardList, name: string): name is FilterName =>
  filterNames(list).some((known) => known === name)

/** Of any filter what the list can be asked for. */
export function filterFor<List extends BoardList>(list: List, filter: AnyFilter): FilterOf<List> {
  const known: readonly (FilterName & keyof FilterOf<List>)[] = LIST_FILTERS[list]
  return Object.fromEntries(known.map((name) => [name, filter[name]])) as FilterOf<List>
}
