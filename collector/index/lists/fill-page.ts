import { type ListPosition, type PageRequest, writeCursor } from '../../../lib/wire/list-paging'

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

/**
 * The position of a trace or segment is one number: the journal number of its record, and a slot for its index in the
 * record (at most 20,000 and one per item, `lib/config/fields.ts`). 2 to the power of 37 journal numbers fit.
 */
export const SLOTS = 65_536

export const positionNumber = (journal: number, slot: number): number => journal * SLOTS + slot

/** The position of the trace `@traceId`, as part of a statement; null when no record contributes to it. */
export const POSITION_OF_TRACE = `(SELECT min(journal * ${SLOTS} + slot) FROM trace_records WHERE trace_id = @traceId)`

export const positionFromNumber = (position: number): ListPosition => ({
  journal: Math.floor(position / SLOTS),
  id: (position % SLOTS).toString(16),
})

/** An id that is not a slot is the end of its record. */
export function numberFromPosition({ journal, id }: ListPosition): number {
  const slot = /^[0-9a-f]{1,4}$/.test(id) ? Number.parseInt(id, 16) : 0
  return Math.min(positionNumber(journal, slot), Number.MAX_SAFE_INTEGER)
}
