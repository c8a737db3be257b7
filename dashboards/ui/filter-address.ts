import { changesAsked } from './asked'
import type { AnyFilter, BoardList, FilterChanges } from './filter-of-list'
import { filterNames, isFilterName } from './filter-of-list'

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
