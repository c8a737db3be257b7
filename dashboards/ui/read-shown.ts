import type { AnyFilter } from './filter-of-list'
import { type ListPage, type LiveList, type RowIdentity, reachOf, rowsToRead } from './live-list'

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
