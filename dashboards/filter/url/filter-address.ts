import type { AnyFilter, BoardList, FilterChanges } from '../arrange/filter-of-list'
import { filterNames } from '../arrange/filter-of-list'

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

/** What an old address says in the words of today; `null` for one that says nothing old. */
export function mendAddress(list: BoardList, search: string): Readonly<Record<string, string | null>> | null {
  const params = new URLSearchParams(search)
  const [words, only] = [params.get(OLD_WORDS), params.get(OLD_ONLY)]
  if (words === null && only === null) return null
  const names = filterNames(list)
  const mended: FilterChanges = {
    ...(words !== null && names.includes('text') && !params.has('text') && { text: words }),
    ...(only === 'errors' && names.includes('status') && !params.has('status') && { status: 'error' }),
  }
  return { ...mended, [OLD_WORDS]: null, [OLD_ONLY]: null }
}

/** The filter as one text: the same for the same filter. */
export const filterKey = (list: BoardList, filter: AnyFilter): string =>
  new URLSearchParams(
    filterNames(list).flatMap((name) => {
      const value = filter[name]
      return value === undefined ? [] : [[name, value]]
    }),
  ).toString()
