/** Lists are ordered by journal number, rows of one submission by id. A cursor is a position as text. */
export interface ListPosition {
  readonly journal: number
  readonly id: string
}

/** A page is cut after its last row, so rows that arrive later never shift it. */
export interface PageRequest {
  readonly limit: number
}

export const DEFAULT_PAGE = 50
export const LARGEST_PAGE = 200

/** The position before every row: the first page starts here. */
export const NEWEST: ListPosition = { journal: Number.MAX_SAFE_INTEGER, id: '' }

/** Hex ids are written as they are; any other id as base64url after a tilde. */
export const writeCursor = ({ journal, id }: ListPosition): string =>
  `${journal}-${/^[0-9a-f]*$/.test(id) ? id : `~${Buffer.from(id).toString('base64url')}`}`

/** @returns `null` when the text is not a cursor. */
export function readCursor(cursor: string | null): ListPosition | null {
  if (cursor === null) return NEWEST
  const found = /^(\d{1,15})-(?:([0-9a-f]*)|~([\w-]+))$/.exec(cursor)
  if (found === null) return null
  const [, journal, hex, encoded] = found
  return { journal: Number(journal), id: hex ?? Buffer.from(encoded ?? '', 'base64url').toString() }
}
