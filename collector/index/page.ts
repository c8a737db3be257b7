/** How much of a list is given at once. A cursor names the last row that was given, so rows that arrive never shift a page. */
export interface PageRequest {
  readonly limit: number
}

export const DEFAULT_PAGE = 50
export const LARGEST_PAGE = 200

/** Lists are ordered by journal number and, where one submission made several rows, by their id. */
export interface ListPlace {
  readonly journal: number
  readonly id: string
}

/** Before everything: where the first page begins. */
export const NEWEST: ListPlace = { journal: Number.MAX_SAFE_INTEGER, id: '' }

/** Most ids are hex digits and stand as they are; a sender's own word is written as base64url, after a tilde. */
export const writeCursor = ({ journal, id }: ListPlace): string =>
  `${journal}-${/^[0-9a-f]*$/.test(id) ? id : `~${Buffer.from(id).toString('base64url')}`}`

/** `null` when the text is no cursor of ours. */
export function readCursor(cursor: string | null): ListPlace | null {
  if (cursor === null) return NEWEST
  const found = /^(\d{1,15})-(?:([0-9a-f]*)|~([\w-]+))$/.exec(cursor)
  if (found === null) return null
  const [, journal, hex, word] = found
  return { journal: Number(journal), id: hex ?? Buffer.from(word ?? '', 'base64url').toString() }
}
