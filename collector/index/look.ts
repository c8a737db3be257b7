import { type ListPlace, type PageRequest, writeCursor } from './page'
import type { Wanted } from './wanted'

/** Rows that a page looks at, or records whose rows it follows. */
export const MOST_ROWS_LOOKED_AT = 5000
/** Narrow rows and entries of an index that rule out by themselves. */
const MOST_ENTRIES = 30_000

/** Records through whose terms it goes: terms that are each common and never together cost 20 ms per million. */
const MOST_RECORDS = 1_000_000

/** How much a page looks at before it ends early. */
export interface LookBounds {
  readonly rows: number
  readonly entries: number
  readonly records: number
}
export const BOUNDS: LookBounds = { rows: MOST_ROWS_LOOKED_AT, entries: MOST_ENTRIES, records: MOST_RECORDS }

/** What a list looks at, in its order: a row with its place, or where an index was left before its end. */
export type Looked<Row> = { readonly place: ListPlace; readonly row: Row | null } | { readonly leftAt: ListPlace }

export interface FoundPage<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

/** Is a time within what is wanted? @param us `null` where the thing names none: then it is within no bounds. */
export const isWithin = (us: number | null, { sinceUs, untilUs }: Wanted): boolean =>
  us === null
    ? sinceUs === undefined && untilUs === undefined
    : (sinceUs === undefined || us >= sinceUs) && (untilUs === undefined || us < untilUs)

/** Are these columns the words that are wanted? */
export const hasAll = <Field extends keyof Wanted>(
  row: { readonly [Name in Field]: unknown },
  wanted: Wanted,
  fields: readonly Field[],
): boolean => fields.every((field) => wanted[field] === undefined || wanted[field] === row[field])

/** Bounds of a statement: all times where none is wanted, also those that no whole number tells exactly. */
export const boundsOf = ({ sinceUs, untilUs }: Wanted) => ({
  sinceUs: sinceUs ?? Number.NEGATIVE_INFINITY,
  untilUs: untilUs ?? Number.POSITIVE_INFINITY,
})

/**
 * The first rows that match. A page that has looked at too much ends with what it has found, also with nothing: `next`
 * goes on where it ended.
 * @param looked rows in the order of the list, from the page's place on; a place without a row had none that could match.
 */
export function fillPage<Row>(
  looked: Iterable<Looked<Row>>,
  { limit }: PageRequest,
  matches: (row: Row) => boolean,
  most = MOST_ROWS_LOOKED_AT,
): FoundPage<Row> {
  const rows: Row[] = []
  let lastRow: ListPlace | null = null
  let last: ListPlace | null = null
  let looks = 0
  for (const one of looked) {
    if ('leftAt' in one) return { rows, next: writeCursor(one.leftAt) }
    if (looks === most && last !== null) return { rows, next: writeCursor(last) }
    looks += 1
    last = one.place
    if (one.row === null || !matches(one.row)) continue
    // One row more than asked for tells whether there is a next page.
    if (rows.length === limit && lastRow !== null) return { rows, next: writeCursor(lastRow) }
    rows.push(one.row)
    lastRow = one.place
  }
  return { rows, next: null }
}
