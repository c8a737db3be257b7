import type { Database } from 'better-sqlite3'
import { prepareAll } from '../spool/prepare'
import type { BreadcrumbRow } from '../walk/rows'
import type { BoundRow, Details } from './contributions'
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
export function breadcrumbDetails(db: Database): Details {
  const sql = prepareAll(db, BREADCRUMB_SQL)
  return {
    read: ({ eventId }: BoundRow) => sql.read.all(eventId),
    write: ({ eventId }, details) => {
      for (const [place, crumb] of (details as readonly BoundBreadcrumb[]).entries())
        sql.write.run({ ...crumb, eventId, place })
    },
    remove: ({ eventId }) => {
      sql.remove.run(eventId)
    },
  }
}
