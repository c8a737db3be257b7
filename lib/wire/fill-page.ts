import type { ListFilter } from './list-filter'
import { type ListPosition, type PageRequest, writeCursor } from './list-paging'

/** Limits of the work per page. A page that reaches one ends early, with a cursor that continues there. */
export interface ReadBounds {
  /** Rows that are compared, or records whose rows are read. */
  readonly rows: number
  /** Narrow rows and index entries that are filtered by SQL. */
  readonly entries: number
  /** Records whose terms are searched. Terms that are each common and never occur together cost 20 ms per million. */
  readonly records: number
}

export const READ_BOUNDS: ReadBounds = { rows: 5000, entries: 30_000, records: 1_000_000 }

/** Of a filter with groups, negated parts or beginnings, about which rows decide more often: 6 µs each. */
const COMPOUND_BOUNDS: ReadBounds = { rows: 1000, entries: 15_000, records: 1_000_000 }

/** The limits of a page for a filter, at most those given. */
export const boundsFor = ({ any, not, starts }: ListFilter, { rows, entries, records } = READ_BOUNDS): ReadBounds =>
  any === undefined && not === undefined && starts === undefined
    ? { rows, entries, records }
    : { rows: Math.min(rows, COMPOUND_BOUNDS.rows), entries: Math.min(entries, COMPOUND_BOUNDS.entries), records }

/** A row or `null` at a position, or the position where the scan stopped early. */
export type Scanned<Row> =
  | { readonly position: ListPosition; readonly row: Row | null }
  | { readonly stoppedAt: ListPosition }

interface Page<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

/** The statements of a scan through one index. Both take `@most`, the number of entries to read. */
export interface ScanPath {
  readonly entries: string
  /** The entry at which the scan stopped; none when it reached the end. */
  readonly stoppedAt: string
}

/**
 * Takes the first rows that match. A page that has read too much ends early; `next` continues there.
 * @param scanned rows in list order, from the page's position on. `row: null` is a position without a candidate.
 */
export function fillPage<Row>(
  scanned: Iterable<Scanned<Row>>,
  { limit }: PageRequest,
  matches: (row: Row) => boolean,
  maxRows = READ_BOUNDS.rows,
): Page<Row> {
  const rows: Row[] = []
  let lastRow: ListPosition | null = null
  let last: ListPosition | null = null
  let read = 0
  for (const one of scanned) {
    if ('stoppedAt' in one) return { rows, next: writeCursor(one.stoppedAt) }
    if (read === maxRows && last !== null) return { rows, next: writeCursor(last) }
    read += 1
    last = one.position
    if (one.row === null || !matches(one.row)) continue
    // One row more than requested shows that there is a next page.
    if (rows.length === limit && lastRow !== null) return { rows, next: writeCursor(lastRow) }
    rows.push(one.row)
    lastRow = one.position
  }
  return { rows, next: null }
}
