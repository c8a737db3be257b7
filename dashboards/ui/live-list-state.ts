import { journalOfCursor } from '../../lib/wire/filter'
import type { AnyFilter } from './filter-address'

/** Rows of the first page, and of each that a reader goes on by. */
export const PAGE = 50

/** Beyond so many the reader is told that there are more, and they are no longer added up. */
const MOST_WAITING = 200

/** A list that grows at its newest end while someone reads it. */
export interface LiveList<Row> {
  /** How many rows the reader has asked to see: the first page, and each older one. What arrives does not add to them. */
  readonly asked: number
  /** Shown, newest first. */
  readonly rows: readonly Row[]
  /** Not shown yet, held back until the reader wants them. Newest first. */
  readonly waiting: readonly Row[]
  /** More came than was read: revealing starts the list anew from here, so that no hole hides in it. */
  readonly gap: { readonly next: string | null } | null
  /** Cursor to what is older than what was looked at; `null` at the end. */
  readonly next: string | null
  /** The newest fact of the journal when it was read last. */
  readonly head: number
  readonly loaded: boolean
}

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  /** Where to look on. A page may hold fewer rows than asked for, or none, and still have one. */
  readonly next: string | null
  /** The newest fact of the journal when it was read. */
  readonly head: number
}

interface RowIdentity<Row> {
  readonly keyOf: (row: Row) => string
  /** Journal number: the list's order. It never changes for a row, and a new row's is above all earlier ones. */
  readonly orderOf: (row: Row) => number
}

export function emptyList<Row>(): LiveList<Row> {
  return { asked: PAGE, rows: [], waiting: [], gap: null, next: null, head: 0, loaded: false }
}

/** How many rows to read to see a list again: held, all that is shown or waits; else what the reader has asked for. */
function rowsToRead<Row>({ asked, rows, waiting, gap }: LiveList<Row>, hold: boolean): number {
  if (!hold) return asked
  return gap === null ? Math.max(asked, rows.length + waiting.length) : Math.max(asked, MOST_WAITING)
}

/** Of what waits that which is not shown: behind a gap a page waits whole, and may reach into what is. */
export function countNew<Row>({ rows, waiting }: LiveList<Row>, { keyOf }: RowIdentity<Row>): number {
  const shown = new Set(rows.map(keyOf))
  return waiting.filter((row) => !shown.has(keyOf(row))).length
}

/**
 * The newest page, read again. Held, nothing moves: known rows change in place, and what is new waits. Else the page takes
 * the place of all that it has looked at, for a row may begin to match a filter, cease to, or be gone; and where it is as
 * long as was asked for, of the whole list, which a row a second would make endless else.
 */
export function mergeNewest<Row>(
  list: LiveList<Row>,
  page: ListPage<Row>,
  hold: boolean,
  identity: RowIdentity<Row>,
): LiveList<Row> {
  const { keyOf, orderOf } = identity
  // Numbers only grow: lower ones are another folder's.
  if (!list.loaded || page.head < list.head) return startList(page, list.asked)
  const fresh = new Map(page.rows.map((row) => [keyOf(row), row]))
  const all = [...list.waiting, ...list.rows]
  const known = new Set(all.map(keyOf))
  const added = page.rows.filter((row) => !known.has(keyOf(row)))
  const newest = Math.max(
    ...[list.waiting[0], list.rows[0]].flatMap((row) => (row === undefined ? [] : [orderOf(row)])),
  )
  const [top] = page.rows
  // None of what is shown is there any more.
  if (top !== undefined && added.length === page.rows.length && orderOf(top) < newest)
    return startList(page, list.asked)
  const reach = reachOf(page, identity)
  const isJoined = reach <= (all.length === 0 ? list.head : newest)
  const update = (row: Row): Row => fresh.get(keyOf(row)) ?? row
  const isHeld = hold && list.rows.length > 0
  if (isHeld) {
    const last = list.rows.at(-1)
    const above = added.filter((row) => last === undefined || orderOf(row) > orderOf(last))
    const isBroken = !isJoined || list.gap !== null || above.length + list.waiting.length > MOST_WAITING
    const waits = isBroken
      ? { waiting: page.rows, gap: { next: page.next } }
      : { waiting: newestFirst([...above, ...list.waiting.map(update)], identity) }
    return { ...list, rows: list.rows.map(update), ...waits, head: page.head }
  }
  if (!isJoined || list.gap !== null || page.rows.length >= list.asked) return startList(page, list.asked)
  const rows = [...page.rows, ...all.filter((row) => orderOf(row) <= reach && !fresh.has(keyOf(row)))]
  // Where pages end early what is below them only grows, and cannot be cut: no cursor leads to where it would be.
  if (rows.length > 2 * list.asked) return startList(page, list.asked)
  return { ...list, rows, waiting: [], next: further(list.next, page.next), head: page.head }
}

/** Shows what was waiting. A list with a gap starts anew with it. */
export function revealWaiting<Row>(list: LiveList<Row>, identity: RowIdentity<Row>): LiveList<Row> {
  if (list.gap !== null) return startList({ rows: list.waiting, next: list.gap.next, head: list.head }, list.asked)
  return { ...list, rows: newestFirst([...list.waiting, ...list.rows], identity), waiting: [] }
}

/** A page of older rows, at the end. */
export function appendOlder<Row>(list: LiveList<Row>, page: ListPage<Row>, { keyOf }: RowIdentity<Row>): LiveList<Row> {
  const known = new Set(list.rows.map(keyOf))
  const asked = Math.max(list.asked, list.rows.length) + PAGE
  return { ...list, asked, rows: [...list.rows, ...page.rows.filter((row) => !known.has(keyOf(row)))], next: page.next }
}

/** A list that begins with this page and knows nothing else, but how much is asked for. */
export function startList<Row>({ rows, next, head }: ListPage<Row>, asked = PAGE): LiveList<Row> {
  return { asked, rows, waiting: [], gap: null, next, head, loaded: true }
}

/**
 * The journal number down to which a list was looked through, where that is further than its rows reach: it ended early,
 * and what matches may still be below. `null` where the last row is where looking ended.
 */
export function lookedBackTo<Row>({ rows, next }: Pick<LiveList<Row>, 'rows' | 'next'>, identity: RowIdentity<Row>) {
  const reach = next === null ? null : journalOfCursor(next)
  const last = rows.at(-1)
  return reach !== null && (last === undefined || reach < identity.orderOf(last)) ? reach : null
}

/** Every row above it that belongs to the page is on it. */
function reachOf<Row>({ rows, next }: Pick<ListPage<Row>, 'rows' | 'next'>, { orderOf }: RowIdentity<Row>): number {
  if (next === null) return Number.NEGATIVE_INFINITY
  const last = rows.at(-1)
  return journalOfCursor(next) ?? (last === undefined ? Number.POSITIVE_INFINITY : orderOf(last))
}

/** Stable, so that rows of one submission stay in the order that they were given in. */
const newestFirst = <Row>(rows: readonly Row[], { orderOf }: RowIdentity<Row>): readonly Row[] =>
  [...rows].sort((a, b) => orderOf(b) - orderOf(a))

/** Of two cursors the one that has looked further back. */
function further(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null
  return (journalOfCursor(other) ?? Number.POSITIVE_INFINITY) < (journalOfCursor(one) ?? Number.POSITIVE_INFINITY)
    ? other
    : one
}

export interface PageWanted {
  readonly filter: AnyFilter
  readonly cursor: string | null
  readonly limit: number
  readonly signal?: AbortSignal
}

export interface PageReader<Row> extends RowIdentity<Row> {
  readonly readPage: (wanted: PageWanted) => Promise<ListPage<Row>>
}

interface ShownWanted<Row> {
  readonly filter: AnyFilter
  readonly list: LiveList<Row>
  /** Must new rows wait? */
  readonly hold: boolean
  readonly signal?: AbortSignal
}

/** The most that one query answers. */
const LARGEST_PAGE = 200
/** A page may end early: how many more than full ones would need are read to see again what is shown. */
const EARLY_PAGES = 3

/** The newest page, and as many behind it as it takes to see again what a list shows, in one. */
export async function readShown<Row>(
  reader: PageReader<Row>,
  { filter, list, hold, signal }: ShownWanted<Row>,
): Promise<ListPage<Row>> {
  const wanted = rowsToRead(list, hold)
  const last = list.rows.at(-1)
  const bottom = last === undefined ? Number.POSITIVE_INFINITY : reader.orderOf(last)
  const read = (cursor: string | null, missing: number): Promise<ListPage<Row>> =>
    reader.readPage({ filter, cursor, limit: Math.min(LARGEST_PAGE, missing), ...(signal && { signal }) })
  let left = Math.ceil(wanted / LARGEST_PAGE) + EARLY_PAGES
  let page = await read(null, wanted)
  while (page.next !== null && page.rows.length < wanted && reachOf(page, reader) > bottom && left > 0) {
    left -= 1
    const more = await read(page.next, wanted - page.rows.length)
    page = { rows: [...page.rows, ...more.rows], next: more.next, head: page.head }
  }
  return page
}
