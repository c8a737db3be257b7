import { journalOfCursor } from '../../lib/wire/filter'
import type { LeftOut } from '../../lib/wire/values'

/** Rows of the first page and of each older page. */
export const PAGE = 50

/** The server returns at most this many rows per request. */
const LARGEST_PAGE = 200
/** A page may end early, so rereading a list may take this many more requests than full pages would. */
const EARLY_PAGES = 3
/** With more new rows than this, the list keeps the newest page only and reports a gap. */
const MOST_WAITING = 200

/** A list that grows at its newest end while someone reads it. */
export interface LiveListState<Row> {
  /** How many rows the reader requested: the first page, and each older one. Arriving rows do not count. */
  readonly requested: number
  /** The visible rows, newest first. */
  readonly rows: readonly Row[]
  /** New rows that are not visible yet, newest first. */
  readonly waiting: readonly Row[]
  /** Set when more rows arrived than were read. Revealing then restarts the list, so that it has no hole. */
  readonly gap: { readonly next: string | null } | null
  /** Cursor of the next older page; `null` at the end. */
  readonly next: string | null
  /** The newest journal number at the last read. */
  readonly head: number
  readonly loaded: boolean
}

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  /** Cursor of the next page. A page may hold fewer rows than requested, or none, and still have one. */
  readonly next: string | null
  readonly head: number
  /** Rows that the first page does not show, of lists that count them. */
  readonly leftOut?: LeftOut | undefined
}

export interface PageRequest {
  /** The query of the list (`lib/filter`). */
  readonly q: string
  readonly cursor: string | null
  readonly limit: number
  readonly signal?: AbortSignal
}

interface RowIdentity<Row> {
  readonly keyOf: (row: Row) => string
  /** The journal number, which is the order of the list. It never changes for a row; a new row has a higher one. */
  readonly orderOf: (row: Row) => number
}

export interface PageReader<Row> extends RowIdentity<Row> {
  readonly readPage: (request: PageRequest) => Promise<ListPage<Row>>
}

export function emptyList<Row>(): LiveListState<Row> {
  return { requested: PAGE, rows: [], waiting: [], gap: null, next: null, head: 0, loaded: false }
}

export function startList<Row>({ rows, next, head }: ListPage<Row>, requested = PAGE): LiveListState<Row> {
  return { requested, rows, waiting: [], gap: null, next, head, loaded: true }
}

/**
 * Merges the newest page into the list.
 *
 * With `hold`, no visible row moves: known rows change in place, unless `all` is held, and new rows wait. Without it,
 * the page replaces the range that it covers, because a row may start or stop matching the filter, or be deleted. A page as long as requested
 * replaces the whole list; otherwise the list would grow with every arriving row.
 */
export function mergeNewest<Row>(
  list: LiveListState<Row>,
  page: ListPage<Row>,
  hold: boolean | 'all',
  identity: RowIdentity<Row>,
): LiveListState<Row> {
  const { keyOf, orderOf } = identity
  const restarted = startList(page, list.requested)
  // Journal numbers only grow: a lower head belongs to another data folder.
  if (!list.loaded || page.head < list.head) return restarted
  const fresh = new Map(page.rows.map((row) => [keyOf(row), row]))
  const all = [...list.waiting, ...list.rows]
  const known = new Set(all.map(keyOf))
  const added = page.rows.filter((row) => !known.has(keyOf(row)))
  const newest = Math.max(
    ...[list.waiting[0], list.rows[0]].flatMap((row) => (row === undefined ? [] : [orderOf(row)])),
  )
  const [top] = page.rows
  // Every known row is gone.
  if (top !== undefined && added.length === page.rows.length && orderOf(top) < newest) return restarted
  const reach = reachOf(page, identity)
  const isJoined = reach <= (all.length === 0 ? list.head : newest)
  const update = (row: Row): Row => fresh.get(keyOf(row)) ?? row
  if (hold === 'all' || (hold && list.rows.length > 0)) {
    const last = list.rows.at(-1)
    const above = added.filter((row) => last === undefined || orderOf(row) > orderOf(last))
    const isBroken = !isJoined || list.gap !== null || above.length + list.waiting.length > MOST_WAITING
    const waits = isBroken
      ? { waiting: page.rows, gap: { next: page.next } }
      : { waiting: newestFirst([...above, ...list.waiting.map(update)], identity) }
    return { ...list, rows: hold === 'all' ? list.rows : list.rows.map(update), ...waits, head: page.head }
  }
  if (!isJoined || list.gap !== null || page.rows.length >= list.requested) return restarted
  const rows = [...page.rows, ...all.filter((row) => orderOf(row) <= reach && !fresh.has(keyOf(row)))]
  // After a page that ended early, the rows below only grow: no cursor points into their middle, so they cannot be cut.
  if (rows.length > 2 * list.requested) return restarted
  return { ...list, rows, waiting: [], next: further(list.next, page.next), head: page.head }
}

/** Shows the waiting rows. A list with a gap restarts with them. */
export function revealWaiting<Row>(list: LiveListState<Row>, identity: RowIdentity<Row>): LiveListState<Row> {
  if (list.gap !== null) return startList({ rows: list.waiting, next: list.gap.next, head: list.head }, list.requested)
  return { ...list, rows: newestFirst([...list.waiting, ...list.rows], identity), waiting: [] }
}

export function appendOlder<Row>(
  list: LiveListState<Row>,
  page: ListPage<Row>,
  { keyOf }: RowIdentity<Row>,
): LiveListState<Row> {
  const known = new Set(list.rows.map(keyOf))
  const rows = [...list.rows, ...page.rows.filter((row) => !known.has(keyOf(row)))]
  return { ...list, requested: Math.max(list.requested, list.rows.length) + PAGE, rows, next: page.next }
}

/** How many waiting rows are not visible. After a gap the waiting page may overlap the visible rows. */
export function countNew<Row>({ rows, waiting }: LiveListState<Row>, { keyOf }: RowIdentity<Row>): number {
  const visible = new Set(rows.map(keyOf))
  return waiting.filter((row) => !visible.has(keyOf(row))).length
}

/** The journal number at which the search ended early; `null` when it reached exactly the last row. */
export function searchedBackTo<Row>(
  { rows, next }: Pick<LiveListState<Row>, 'rows' | 'next'>,
  identity: RowIdentity<Row>,
): number | null {
  const reach = next === null ? null : journalOfCursor(next)
  const last = rows.at(-1)
  return reach !== null && (last === undefined || reach < identity.orderOf(last)) ? reach : null
}

/** Reads the newest page, and as many after it as it takes to cover the visible rows again. Returns them as one page. */
export async function readVisible<Row>(
  reader: PageReader<Row>,
  request: Omit<PageRequest, 'cursor' | 'limit'> & { readonly list: LiveListState<Row>; readonly hold: boolean },
): Promise<ListPage<Row>> {
  const { list, hold, ...rest } = request
  const needed = rowsToRead(list, hold)
  const last = list.rows.at(-1)
  const bottom = last === undefined ? Number.POSITIVE_INFINITY : reader.orderOf(last)
  const read = (cursor: string | null, missing: number): Promise<ListPage<Row>> =>
    reader.readPage({ ...rest, cursor, limit: Math.min(LARGEST_PAGE, missing) })
  let left = Math.ceil(needed / LARGEST_PAGE) + EARLY_PAGES
  let page = await read(null, needed)
  while (page.next !== null && page.rows.length < needed && reachOf(page, reader) > bottom && left > 0) {
    left -= 1
    const more = await read(page.next, needed - page.rows.length)
    page = { ...page, rows: [...page.rows, ...more.rows], next: more.next }
  }
  return page
}

/** With `hold`, all rows that are visible or waiting; otherwise as many as the reader requested. */
function rowsToRead<Row>({ requested, rows, waiting, gap }: LiveListState<Row>, hold: boolean): number {
  if (!hold) return requested
  return gap === null ? Math.max(requested, rows.length + waiting.length) : Math.max(requested, MOST_WAITING)
}

/** The page holds every matching row above this journal number. */
function reachOf<Row>({ rows, next }: Pick<ListPage<Row>, 'rows' | 'next'>, { orderOf }: RowIdentity<Row>): number {
  if (next === null) return Number.NEGATIVE_INFINITY
  const last = rows.at(-1)
  return journalOfCursor(next) ?? (last === undefined ? Number.POSITIVE_INFINITY : orderOf(last))
}

/** A stable sort: rows of one submission keep the order in which the server sent them. */
const newestFirst = <Row>(rows: readonly Row[], { orderOf }: RowIdentity<Row>): readonly Row[] =>
  [...rows].sort((a, b) => orderOf(b) - orderOf(a))

/** The cursor that points further back; `null` is the end. */
function further(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null
  return (journalOfCursor(other) ?? Number.POSITIVE_INFINITY) < (journalOfCursor(one) ?? Number.POSITIVE_INFINITY)
    ? other
    : one
}
