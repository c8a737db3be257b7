/** A list that grows at its newest end while someone reads it. */
export interface LiveList<Row> {
  /** Shown, newest first. */
  readonly rows: readonly Row[]
  /** Newer than what is shown, held back until the reader wants them. Newest first. */
  readonly waiting: readonly Row[]
  /** More came than was read: revealing starts the list anew from here, so that no hole hides in it. */
  readonly gap: { readonly next: string | null } | null
  /** Cursor to what is older than the last shown row; `null` at the end. */
  readonly next: string | null
  readonly loaded: boolean
}

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

export interface RowIdentity<Row> {
  readonly keyOf: (row: Row) => string
  /** Journal number: the list's order. It never changes for a row, and a new row's is above all earlier ones. */
  readonly orderOf: (row: Row) => number
}

export function emptyList<Row>(): LiveList<Row> {
  return { rows: [], waiting: [], gap: null, next: null, loaded: false }
}

/** The newest page, read again: known rows change in place, new ones go on top or wait; nothing else moves. */
export function mergeNewest<Row>(
  list: LiveList<Row>,
  page: ListPage<Row>,
  hold: boolean,
  { keyOf, orderOf }: RowIdentity<Row>,
): LiveList<Row> {
  if (!list.loaded || list.rows.length === 0) return startList(page)
  // Numbers only grow: a newest row below what is shown means that what is shown is gone, or is another folder's.
  const shownNewest = Math.max(
    ...[list.waiting[0], list.rows[0]].flatMap((row) => (row === undefined ? [] : [orderOf(row)])),
  )
  const [head] = page.rows
  if (head !== undefined && orderOf(head) < shownNewest) return startList(page)
  const fresh = new Map(page.rows.map((row) => [keyOf(row), row]))
  const known = new Set([...list.rows, ...list.waiting].map(keyOf))
  const added = page.rows.filter((row) => !known.has(keyOf(row)))
  const update = (row: Row): Row => fresh.get(keyOf(row)) ?? row
  const overlaps = added.length < page.rows.length || page.next === null
  if (!overlaps || list.gap !== null) {
    if (!hold) return startList(page)
    return { ...list, rows: list.rows.map(update), waiting: page.rows, gap: { next: page.next } }
  }
  const newestFirst = (a: Row, b: Row): number => orderOf(b) - orderOf(a)
  const top = list.rows[0]
  const newest = top === undefined ? Number.NEGATIVE_INFINITY : orderOf(top)
  const newer = [...added.filter((row) => orderOf(row) > newest), ...list.waiting.map(update)].sort(newestFirst)
  const rows = list.rows.map(update)
  if (hold) return { ...list, rows, waiting: newer }
  return { ...list, rows: [...newer, ...rows], waiting: [] }
}

/** Shows what was waiting. A list with a gap starts anew with it. */
export function revealWaiting<Row>(list: LiveList<Row>): LiveList<Row> {
  if (list.gap !== null) return startList({ rows: list.waiting, next: list.gap.next })
  return { ...list, rows: [...list.waiting, ...list.rows], waiting: [] }
}

/** A page of older rows, at the end. */
export function appendOlder<Row>(list: LiveList<Row>, page: ListPage<Row>, { keyOf }: RowIdentity<Row>): LiveList<Row> {
  const known = new Set(list.rows.map(keyOf))
  return { ...list, rows: [...list.rows, ...page.rows.filter((row) => !known.has(keyOf(row)))], next: page.next }
}

/** A list that begins with this page and knows nothing else. */
export function startList<Row>(page: ListPage<Row>): LiveList<Row> {
  return { rows: page.rows, waiting: [], gap: null, next: page.next, loaded: true }
}
