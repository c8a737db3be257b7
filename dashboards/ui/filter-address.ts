import { type FilteredList, type FilterName, type FilterOf, LIST_FILTERS } from '../../lib/wire/filter'
import { changesAsked } from './filter-parser'

/** What addresses said before lists were narrowed by their parameters: words to look for, and traces with errors alone. */
const OLD_WORDS = 'q'
const OLD_ONLY = 'only'

/** What an address asks of a list; its other parameters are other people's. */
export function readAddress(list: BoardList, search: string): AnyFilter {
  const params = new URLSearchParams(search)
  return Object.fromEntries(
    filterNames(list).flatMap((name) => {
      const value = params.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    }),
  )
}

/** What an address says by old or other names, in those of the list; `null` for one that needs no mending. */
export function mendAddress(list: BoardList, search: string): Readonly<Record<string, string | null>> | null {
  const params = new URLSearchParams(search)
  const [words, only] = [params.get(OLD_WORDS), params.get(OLD_ONLY)]
  const others = [...params].flatMap(([name, value]) => {
    const changes = isFilterName(list, name) ? null : changesAsked(list, name, value)
    const isFree = changes !== null && Object.keys(changes).every((known) => !params.has(known))
    return changes === null ? [] : [{ ...(isFree && changes), [name]: null }]
  })
  if (words === null && only === null) return others.length === 0 ? null : Object.assign({}, ...others)
  const names = filterNames(list)
  const mended: FilterChanges = {
    ...(words !== null && names.includes('text') && !params.has('text') && { text: words }),
    ...(only === 'errors' && names.includes('status') && !params.has('status') && { status: 'error' }),
  }
  return { ...Object.assign({}, ...others), ...mended, [OLD_WORDS]: null, [OLD_ONLY]: null }
}

/** The filter as one text: the same for the same filter. */
export const filterKey = (list: BoardList, filter: AnyFilter): string =>
  new URLSearchParams(
    filterNames(list).flatMap((name) => {
      const value = filter[name]
      return value === undefined ? [] : [[name, value]]
    }),
  ).toString()

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

/** A value as it is typed: in quotes where it has spaces, or would be read as another thing. */
export const quoted = (value: string): string => (/\s|^"|^\/\/|^$/.test(value) ? inQuotes(value) : value)

export const inQuotes = (value: string): string => `"${value.replaceAll('"', '""')}"`

/** What the columns call a thing, where its parameter has another name. */
export const typedName = (name: FilterName): string => (name === 'deliveryStatus' ? 'delivery' : name)

/** One part of a filter as it is typed. */
export const typedPart = (name: FilterName, value: string): string => `${typedName(name)}:${quoted(value)}`
