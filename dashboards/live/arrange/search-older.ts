/** So many matches fill a screen: the reader sees that the filter found something, and asks for more when it is too little. */
const ENOUGH = 20

/** Rows that one asking searches at most: 20 pages. Each row stays loaded, and is read again while the list is followed. */
export const SEARCH_AT_ONCE = 1000

export interface Searched {
  /** Rows loaded, and those of them that pass the filter. */
  readonly loaded: number
  readonly shown: number
  /** Are there older rows that nobody has looked at? */
  readonly older: boolean
  /** Rows that may be loaded before the reader is asked. */
  readonly limit: number
  /** The last try to read older rows failed. */
  readonly failed: boolean
}

/**
 * `all` nothing is hidden · `search` older rows are to be read now, for too few of the loaded ones match · `ask` there are
 * older ones, and the reader decides · `whole` every row kept here was searched.
 */
export type Search = 'all' | 'search' | 'ask' | 'whole'

/** A filter sees only what is loaded: what is to be done about the older rows? */
export function searchOlder({ loaded, shown, older, limit, failed }: Searched): Search {
  if (loaded === shown) return 'all'
  if (!older) return 'whole'
  return shown < ENOUGH && loaded < limit && !failed ? 'search' : 'ask'
}
