import type { Database } from 'better-sqlite3'
import type { BreadcrumbRow } from '../../lib/protocol/traversal/rows'
import { prepareAll } from '../spool/prepare'
import type { BoundRow, Details } from './contributions'
import type { RowCounts } from './row-counts'
import { BREADCRUMB_SQL } from './write-sql'

/** A breadcrumb as its table keeps it, and as it waits with an event that is not shown. */
type BoundBreadcrumb = Omit<BreadcrumbRow, 'data'> & { readonly data: string | null }

export const bindBreadcrumbs = (crumbs: readonly BreadcrumbRow[]): readonly BoundBreadcrumb[] =>
  crumbs.map(({ timestampUs, category, type, level, message, data }) => ({
    timestampUs,
    category,
    type,
    level,
    message,
    data: data === null ? null : JSON.stringify(data),
  }))

/** The breadcrumbs of the events that are shown. */
export function breadcrumbDetails(db: Database, counts: RowCounts): Details {
  const sql = prepareAll(db, BREADCRUMB_SQL)
  return {
    read: ({ eventId }: BoundRow) => sql.read.all(eventId),
    write: ({ eventId }, details) => {
      const crumbs = details as readonly BoundBreadcrumb[]
      for (const [place, crumb] of crumbs.entries()) sql.write.run({ ...crumb, eventId, place })
      counts.add('breadcrumb', crumbs.length)
    },
    remove: ({ eventId }) => {
      counts.add('breadcrumb', -sql.remove.run(eventId).changes)
    },
  }
}
