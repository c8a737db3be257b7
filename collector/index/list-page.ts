import { type ListPosition, type PageRequest, writeCursor } from '../../lib/wire/list-position'
import type { ListFilter } from './list-filter'

/** Rows that a page looks at, or records whose rows it follows. */
export const MAX_ROWS_READ = 5000
/** Narrow rows and entries of an index that rule out by themselves. */
const MAX_INDEX_ENTRIES = 30_000

/** Records through whose terms it goes: terms that are each common and never together cost 20 ms per million. */
const MAX_RECORD_TERMS = 1_000_000

/** How much a page looks at before it ends early. */
export interface ReadBounds {
  readonly rows: number
  readonly entries: number
  readonly records: number
}
export const READ_BOUNDS: ReadBounds = { rows: MAX_ROWS_READ, entries: MAX_INDEX_ENTRIES, records: MAX_RECORD_TERMS }

/** What a list looks at, in its order: a row with its place, or where an index was left before its end. */
export type Scanned<Row> =
  | { readonly position: ListPosition; readonly row: Row | null }
  | { readonly stoppedAt: ListPosition }

export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

/** Is a time within what is wanted? @param us `null` where the thing names none: then it is within no bounds. */
export const isWithin = (us: number | null, { sinceUs, untilUs }: ListFilter): boolean =>
  us === null
    ? sinceUs === undefined && untilUs === undefined
    : (sinceUs === undefined || us >= sinceUs) && (untilUs === undefined || us < untilUs)

/** Are these columns the words that are wanted? */
export const hasFields = <Field extends keyof ListFilter>(
  row: { readonly [Name in Field]: unknown },
  filter: ListFilter,
  fields: readonly Field[],
): boolean => fields.every((field) => filter[field] === undefined || filter[field] === row[field])

/** Bounds of a statement: all times where none is wanted, also those that no whole number tells exactly. */
export const timeBounds = ({ sinceUs, untilUs }: ListFilter) => ({
  sinceUs: sinceUs ?? Number.NEGATIVE_INFINITY,
  untilUs: untilUs ?? Number.POSITIVE_INFINITY,
})

/**
 * The first rows that match. A page that has looked at too much ends with what it has found, also with nothing: `next`
 * goes on where it ended.
 * @param looked rows in the order of the list, from the page's place on; a place without a row had none that could match.
 */
export function fillPage<Row>(
  scanned: Iterable<Scanned<Row>>,
  { limit }: PageRequest,
  matches: (row: Row) => boolean,
  most = MAX_ROWS_READ,
): Page<Row> {
  const rows: Row[] = []
  let lastRow: ListPosition | null = null
  let last: ListPosition | null = null
  let looks = 0
  for (const one of scanned) {
    if ('stoppedAt' in one) return { rows, next: writeCursor(one.stoppedAt) }
    if (looks === most && last !== null) return { rows, next: writeCursor(last) }
    looks += 1
    last = one.position
    if (one.row === null || !matches(one.row)) continue
    // One row more than asked for tells whether there is a next page.
    if (rows.length === limit && lastRow !== null) return { rows, next: writeCursor(lastRow) }
    rows.push(one.row)
    lastRow = one.position
  }
  return { rows, next: null }
}

/**
 * Where a trace or a segment stands in its list, as one number: the journal number of its record, and which of the things
 * that the record tells of. A record tells of 20,000 and one for each of its items at most
 * (`collector/walk/row-budget.ts`, `lib/config/limits.ts`), and 2 to the power of 37 facts fit beside.
 */
export const SLOTS = 65_536

export const positionNumber = (journal: number, slot: number): number => journal * SLOTS + slot

/** The place of the trace `@traceId`, as part of a statement; null where no record tells of it. */
export const POSITION_OF_TRACE = `(SELECT min(journal * ${SLOTS} + slot) FROM trace_records WHERE trace_id = @traceId)`

/** As a cursor writes it. */
export const positionFromNumber = (position: number): ListPosition => ({
  journal: Math.floor(position / SLOTS),
  id: (position % SLOTS).toString(16),
})

/** As a cursor read it; what is no place of this list is at the end of its record. */
export function numberFromPosition({ journal, id }: ListPosition): number {
  const slot = /^[0-9a-f]{1,4}$/.test(id) ? Number.parseInt(id, 16) : 0
  return Math.min(positionNumber(journal, slot), Number.MAX_SAFE_INTEGER)
}
