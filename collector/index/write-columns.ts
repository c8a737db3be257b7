import type { Database } from 'better-sqlite3'
import type { Segment } from '../../lib/protocol/trace/segment'
import type { BreadcrumbRow, EventRow, SignalWithService, Source } from '../../lib/protocol/traversal/rows'
import { prepareAll } from '../spool/database'
import { positionNumber } from './list-page'
import type { BoundRow, Contribution, Details } from './write-contributions'
import { BREADCRUMB_SQL } from './write-sql'
import type { RowCounts } from './write-staged'

/*
 * What a record tells, as contributions to tables. Writer and eraser go by the same functions: what was written under
 * one identity and rank is found again under the same.
 */

/** @param slot which of the segments that the record tells of. */
export function segmentContribution(segment: Segment, position: number, slot: number, source: Source): Contribution {
  const { seq, item, journal, copy, stamp } = source
  return {
    kind: 'segment',
    key: `${segment.traceId}/${segment.segmentId}`,
    row: { ...segment, copy: aloneAs(copy), seq, item, position, listPosition: positionNumber(journal, slot), stamp },
    rank: segment.endUs,
    isCopy: copy,
  }
}

export function eventContribution(event: EventRow, source: Source): Contribution {
  const { seq, item, journal, receivedAt, copy } = source
  return {
    kind: 'event',
    key: event.eventId,
    row: {
      ...eventColumns(event),
      handled: event.handled === null ? null : Number(event.handled),
      journal,
      receivedAt,
      copy: aloneAs(copy),
      seq,
      item,
      // An item is one event.
      position: 0,
    },
    rank: event.timestampUs,
    isCopy: copy,
  }
}

/** The digest hands over the whole event; what has no column must not wait in a repeat either. */
const eventColumns = (event: EventRow): EventRow => ({
  eventId: event.eventId,
  traceId: event.traceId,
  spanId: event.spanId,
  timestampUs: event.timestampUs,
  level: event.level,
  platform: event.platform,
  service: event.service,
  title: event.title,
  handled: event.handled,
  mechanism: event.mechanism,
  transaction: event.transaction,
  environment: event.environment,
  release: event.release,
  digest: event.digest,
})

export function signalContribution(signal: SignalWithService, position: number, source: Source): Contribution {
  const { seq, item, journal, receivedAt, copy } = source
  const key = signalKey(signal.key, source, position)
  return {
    kind: signal.kind,
    key,
    row: {
      ...signal,
      key,
      timestampUs: signal.timestampUs ?? receivedAt * 1000,
      fields: JSON.stringify(signal.fields),
      journal,
      receivedAt,
      copy: aloneAs(copy),
      seq,
      item,
      position,
    },
    rank: signal.rank,
    isCopy: copy,
  }
}

/** As long as nobody else tells of it. */
const aloneAs = (copy: boolean): 'only' | 'no' => (copy ? 'only' : 'no')

/**
 * What a signal is kept under. One that is nobody's repeat is named by its place, in digits that sort as numbers do: a
 * container's entries are listed in the order in which they were sent.
 */
const signalKey = (key: string | null, { seq, item }: Pick<Source, 'seq' | 'item'>, position: number): string =>
  key ?? `${seq}.${String(item).padStart(3, '0')}.${String(position).padStart(6, '0')}`

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
      for (const [position, crumb] of crumbs.entries()) sql.write.run({ ...crumb, eventId, position })
      counts.add('breadcrumb', crumbs.length)
    },
    remove: ({ eventId }) => {
      counts.add('breadcrumb', -sql.remove.run(eventId).changes)
    },
  }
}
