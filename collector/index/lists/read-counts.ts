import type { Database } from 'better-sqlite3'
import type { EnvelopeSummary } from '../../../lib/wire/envelope'
import { NEWEST } from '../../../lib/wire/list-paging'
import type { Overview } from '../../../lib/wire/overview'
import { readRowCounts } from '../rows/write-staged'
import { readEnvelopes } from './read-envelopes'

/** The part of the overview that the index has. */
type Counts = Pick<Overview, 'last'> & {
  readonly counts: Omit<Overview['counts'], 'envelopes' | 'copies' | 'refused'>
}

/** Reads stored sums and counts nothing itself: counting a million rows takes longer than a page may. */
export function readCounts(db: Database): Counts {
  const { trace: traces, segment: segments, span: spans, event: errors, breadcrumb: breadcrumbs } = readRowCounts(db)
  return { counts: { traces, segments, spans, errors, breadcrumbs }, last: readNewestEnvelope(db) }
}

/** Inner spans of the records in the index: those that are digested and not evicted. @param stamp `null` for all */
export const countInnerSpans = (db: Database, stamp: string | null): number =>
  stamp === null
    ? readRowCounts(db).inner_span
    : Number(
        db
          .prepare(
            `SELECT coalesce(sum(i.inner_spans), 0) FROM envelopes e CROSS JOIN items i USING (seq)
             WHERE e.stamp = ? AND e.copy = 0`,
          )
          .pluck()
          .get(stamp),
      )

const readNewestEnvelope = (db: Database): EnvelopeSummary | null =>
  readEnvelopes(db, {}, NEWEST, { limit: 1 }).envelopes[0] ?? null
