import type { Database } from 'better-sqlite3'
import type { Breadcrumb } from '../../lib/wire/event'

/** A breadcrumb as its row has it. */
export interface StoredBreadcrumb extends Omit<Breadcrumb, 'data'> {
  readonly data: string | null
}

export const BREADCRUMB_COLUMNS = `event_id AS eventId, place AS "index", timestamp_us AS timestampUs, category, type, level, message,
  data`

/** One answer carries so many breadcrumbs: a thousand errors of a trace may each have a thousand. */
export const MOST_BREADCRUMBS = 20_000

/** Breadcrumbs of some events, each event's oldest first. */
export function readBreadcrumbs(db: Database, eventIds: readonly string[], most = MOST_BREADCRUMBS): Breadcrumb[] {
  const rows = db
    .prepare(
      `SELECT ${BREADCRUMB_COLUMNS} FROM breadcrumbs WHERE event_id IN (SELECT value FROM json_each(?))
       ORDER BY event_id, place LIMIT ?`,
    )
    .all(JSON.stringify(eventIds), most) as StoredBreadcrumb[]
  return rows.map(toBreadcrumb)
}

export const toBreadcrumb = (row: StoredBreadcrumb): Breadcrumb => ({
  ...row,
  data: row.data === null ? null : (JSON.parse(row.data) as Breadcrumb['data']),
})
