import type { Database } from 'better-sqlite3'
import { groupError } from '../../../lib/grouping/group-error'
import type { Segment } from '../../../lib/protocol/trace/segment'
import type {
  BreadcrumbRow,
  EventRow,
  SignalWithService,
  Source,
  TraversedEvent,
} from '../../../lib/protocol/traversal/rows'
import { prepareAll } from '../../runtime/database'
import { positionNumber } from '../traces/trace-position'
import type { BoundRow, Contribution, Details } from './write-contributions'
import type { RowCounts } from './write-staged'

/** The sender of a record, as its rows show it. */
export interface RecordSender {
  /** 1: Waystation's own app, the lab excepted. */
  readonly own: number
  /** The page header; `null` without one. */
  readonly page: string | null
  readonly project: string
}

/** @param slot the index of this segment among the segments of the record. */
export function segmentContribution(
  segment: Segment,
  position: number,
  slot: number,
  source: Source & RecordSender,
): Contribution {
  const { seq, item, journal, copy, stamp, own, page, project } = source
  return {
    kind: 'segment',
    key: `${segment.traceId}/${segment.segmentId}`,
    // Without a spread, because V8 builds this literal several times faster.
    row: {
      traceId: segment.traceId,
      segmentId: segment.segmentId,
      seq,
      item,
      position,
      listPosition: positionNumber(journal, slot),
      copy: copyOf(copy),
      parentSpanId: segment.parentSpanId,
      name: segment.name,
      op: segment.op,
      status: segment.status,
      startUs: segment.startUs,
      endUs: segment.endUs,
      lifecycle: segment.lifecycle,
      service: segment.service,
      environment: segment.environment,
      release: segment.release,
      sdk: segment.sdk,
      stamp,
      own,
      page,
      project,
      previousTrace: segment.previousTrace ?? null,
    },
    rank: segment.endUs,
    isCopy: copy,
  }
}

export function eventContribution(event: TraversedEvent, source: Source): Contribution {
  const { seq, item, journal, receivedAt, copy } = source
  return {
    kind: 'event',
    key: event.eventId,
    row: {
      ...eventColumns(event),
      ...groupColumns(event),
      handled: event.handled === null ? null : Number(event.handled),
      journal,
      receivedAt,
      copy: copyOf(copy),
      seq,
      item,
      position: 0,
    },
    rank: event.timestampUs,
    isCopy: copy,
  }
}

/** Picks the columns: the rest of the event would otherwise be stored with a hidden contribution. */
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

/** A value that is stored with each event of a group, to find the group and to name it. */
const MOST_GROUP_CHARACTERS = 1000

function groupColumns(event: TraversedEvent) {
  const { hash, version, title, type, value, top } = groupError(event)
  const short = (text: string | null | undefined): string | null => text?.slice(0, MOST_GROUP_CHARACTERS) ?? null
  return {
    groupHash: hash,
    groupVersion: version,
    pattern: title,
    type: short(type),
    value: short(value),
    function: short(top?.function),
    file: short(top?.file),
    line: top?.line !== undefined && Number.isSafeInteger(top.line) ? top.line : null,
  }
}

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
      copy: copyOf(copy),
      seq,
      item,
      position,
    },
    rank: signal.rank,
    isCopy: copy,
  }
}

/** The value of `copy` while no other record contributes to the row. */
const copyOf = (copy: boolean): 'only' | 'no' => (copy ? 'only' : 'no')

/** Its own id, or else its position, padded to sort as numbers do: entries of a container are listed as sent. */
const signalKey = (key: string | null, { seq, item }: Pick<Source, 'seq' | 'item'>, position: number): string =>
  key ?? `${seq}.${String(item).padStart(3, '0')}.${String(position).padStart(6, '0')}`

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

/** Breadcrumbs come and go with the visible row of their event. */
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

const BREADCRUMB_SQL = {
  read: `SELECT timestamp_us AS timestampUs, category, type, level, message, data FROM breadcrumbs WHERE event_id = ?
    ORDER BY position`,
  write: `INSERT OR REPLACE INTO breadcrumbs (event_id, position, timestamp_us, category, type, level, message, data)
    VALUES (@eventId, @position, @timestampUs, @category, @type, @level, @message, @data)`,
  remove: 'DELETE FROM breadcrumbs WHERE event_id = ?',
} as const
