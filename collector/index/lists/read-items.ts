import type { Database } from 'better-sqlite3'
import { READ_BOUNDS } from '../../../lib/wire/fill-page'
import type { Item, ItemsPage } from '../../../lib/wire/journal'

interface ItemsFilter {
  readonly type: string | null
  readonly stamp: string | null
}

/**
 * Digested items of submissions after a journal number, oldest first. A submission that is longer than a page is
 * returned whole. `next` moves past everything that was read, even when nothing matched.
 */
export function readItems(
  db: Database,
  after: number,
  filter: ItemsFilter,
  limit: number,
  { entries } = READ_BOUNDS,
): ItemsPage {
  const bound = { after, ...filter, limit, most: entries }
  const path = filter.stamp === null ? BY_JOURNAL : BY_STAMP
  // Read before the items: an item that is digested in between may be returned, but must not be skipped by `next`.
  const newest = Number(db.prepare(NEWEST_ITEM).pluck().get() ?? 0)
  const numbers = db.prepare(path.numbers).pluck().all(bound) as number[]
  const [first] = numbers
  const cut = numbers.length > limit ? (numbers.at(-1) ?? 0) - 1 : scannedUpTo(db, path, bound)
  if (first === undefined && (cut === null || cut > after)) return { items: [], next: cut ?? Math.max(after, newest) }
  // A submission that is longer than a page is returned whole.
  const upTo = cut === null ? Number.MAX_SAFE_INTEGER : Math.max(first ?? after + 1, cut)
  const items = db.prepare(path.items).all({ ...bound, upTo }) as Item[]
  return { items, next: cut === null ? Math.max(newest, items.at(-1)?.journal ?? after) : upTo }
}

/** The journal number before the submission at which the scan stopped; `null` when it read everything. */
function scannedUpTo(db: Database, path: ItemsPath, bound: object): number | null {
  const stoppedAt = db.prepare(path.stoppedAt).pluck().get(bound) as number | undefined
  return stoppedAt === undefined ? null : stoppedAt - 1
}

const NEWEST_ITEM = 'SELECT max(journal) FROM items'

interface ItemsPath {
  readonly numbers: string
  readonly stoppedAt: string
  readonly items: string
}

const COLUMNS = `i.journal AS journal, i.seq AS seq, i.item AS "index", i.type AS type, i.trace_id AS traceId, i.event_id AS eventId,
  i.problem AS problem, e.stamp AS stamp`

export const BY_JOURNAL: ItemsPath = {
  numbers: `SELECT journal FROM
      (SELECT journal, type FROM items WHERE journal > @after ORDER BY journal, item LIMIT @most)
    WHERE @type IS NULL OR type = @type LIMIT @limit + 1`,
  stoppedAt: `SELECT journal FROM items WHERE journal > @after ORDER BY journal, item LIMIT 1 OFFSET @most - 1`,
  items: `SELECT ${COLUMNS} FROM items i CROSS JOIN envelopes e USING (seq)
    WHERE i.journal > @after AND i.journal <= @upTo AND (@type IS NULL OR i.type = @type) ORDER BY i.journal, i.item`,
}

/** Sequence numbers grow as journal numbers do: a submission that was received later has a higher one. */
const STAMPED = `FROM envelopes e CROSS JOIN items i USING (seq) WHERE e.stamp = @stamp
  AND e.seq > coalesce((SELECT seq FROM items WHERE journal <= @after ORDER BY journal DESC LIMIT 1), 0)`
export const BY_STAMP: ItemsPath = {
  numbers: `SELECT journal FROM
      (SELECT i.journal AS journal, i.type AS type ${STAMPED} ORDER BY e.seq, i.item LIMIT @most)
    WHERE @type IS NULL OR type = @type LIMIT @limit + 1`,
  stoppedAt: `SELECT i.journal ${STAMPED} ORDER BY e.seq, i.item LIMIT 1 OFFSET @most - 1`,
  items: `SELECT ${COLUMNS} ${STAMPED} AND i.journal <= @upTo AND (@type IS NULL OR i.type = @type) ORDER BY e.seq, i.item`,
}
