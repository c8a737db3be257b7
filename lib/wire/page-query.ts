import { type FilteredList, type FilterOf, writeFilter } from './filter'

/** What a page of a list is asked for. */
export interface PageOptions<List extends FilteredList> {
  /** Only what is so; what is empty is not asked for. The names are explained in `lib/wire/filter`. */
  readonly filter?: FilterOf<List>
  /** A cursor that an earlier page gave. */
  readonly cursor?: string | null
  /** 1 to 200; 50 when left out. */
  readonly limit?: number
  readonly signal?: AbortSignal
}

/** The same as the query of an address, with its question mark; `of` are parameters beside the filter. */
export function pageQuery<List extends FilteredList>(
  options: PageOptions<List> = {},
  of: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams(of)
  if (options.filter !== undefined) writeFilter(query, options.filter)
  if (options.cursor) query.set('cursor', options.cursor)
  if (options.limit !== undefined) query.set('limit', String(options.limit))
  return query.size === 0 ? '' : `?${query}`
}
