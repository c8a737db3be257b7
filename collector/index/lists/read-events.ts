import type { Database } from 'better-sqlite3'
import { hex32 } from '../../../lib/protocol/ids'
import { type EventItem, parseEvent } from '../../../lib/protocol/items/event'
import type { ReadLimits } from '../../../lib/protocol/items/signal'
import { isOfLevel } from '../../../lib/protocol/level'
import { parseRecord } from '../../../lib/protocol/record'
import { isOtlp } from '../../../lib/protocol/request'
import type { EventGroup } from '../../../lib/wire/error-groups'
import type { EventDetail, EventSummary, EventsPage } from '../../../lib/wire/event'
import { boundsFor, fillPage, READ_BOUNDS } from '../../../lib/wire/fill-page'
import {
  eventTexts,
  hasFields,
  hasTexts,
  isWithin,
  type ListFilter,
  matchesWhole,
  startsAs,
} from '../../../lib/wire/list-filter'
import type { ListPosition, PageRequest } from '../../../lib/wire/list-paging'
import { journalHead, readDeliveryStatuses, readRecord, readSubmissionRow } from '../../spool/local'
import { findEvent } from '../traverse-record'
import { recordMatcher, scanByRecords, type TermedList } from './list-by-terms'

export type StoredEvent = Omit<EventSummary, 'handled' | 'deliveryStatus'> & { readonly handled: number | null }

export const EVENT_COLUMNS = `event_id AS eventId, seq, item, journal, trace_id AS traceId, span_id AS spanId, timestamp_us AS timestampUs,
  received_at AS receivedAt, level, platform, service, title, handled, mechanism, "transaction", environment, release, digest, copy`

/** The first 1000 error events of a trace, by time. */
export function readEventsOfTrace(db: Database, traceId: string): EventSummary[] {
  const rows = db
    .prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE trace_id = ? ORDER BY timestamp_us, event_id LIMIT 1000`)
    .all(traceId) as StoredEvent[]
  return toEvents(db, rows)
}

/** One event with its whole payload, read from the record. @returns `null` when it is not in the index. */
export function readEvent(db: Database, sizeLimits: ReadLimits, eventId: string): EventDetail | null {
  const row = db.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE event_id = ?`).get(eventId) as
    | StoredEvent
    | undefined
  const [summary] = row === undefined ? [] : toEvents(db, [row])
  if (summary === undefined) return null
  const event = readFromRecord(db, sizeLimits, summary)
  if (event === null) return null
  return {
    ...summary,
    exceptions: event.exceptions.map(({ frames, ...exception }) => ({
      ...exception,
      frames: frames.map(({ source, vars, ...call }) => ({
        ...call,
        source: [...source],
        vars: vars === null ? null : { ...vars },
      })),
    })),
    breadcrumbs: event.breadcrumbs.map((crumb, index) => ({
      ...crumb,
      data: crumb.data === null ? null : { ...crumb.data },
      eventId,
      index,
    })),
    group: readGroupOf(db, summary),
    tags: event.tags,
    contexts: { ...event.contexts },
    request: event.request === null ? null : { ...event.request },
    payload: { ...event.payload },
  }
}

function readGroupOf(db: Database, { eventId, timestampUs }: EventSummary): EventGroup {
  const hash = String(db.prepare('SELECT group_hash FROM events WHERE event_id = ?').pluck().get(eventId))
  const neighbour = (sql: string): string | null =>
    (db.prepare(sql).pluck().get({ hash, timestampUs, eventId }) ?? null) as string | null
  return { hash, older: neighbour(OLDER_IN_GROUP), newer: neighbour(NEWER_IN_GROUP) }
}

export const OLDER_IN_GROUP = `SELECT event_id FROM events WHERE group_hash = @hash
  AND (timestamp_us, event_id) < (@timestampUs, @eventId) ORDER BY timestamp_us DESC, event_id DESC LIMIT 1`
export const NEWER_IN_GROUP = `SELECT event_id FROM events WHERE group_hash = @hash
  AND (timestamp_us, event_id) > (@timestampUs, @eventId) ORDER BY timestamp_us, event_id LIMIT 1`

type ReadEvent = Omit<EventItem, 'timestampUs'>

/** @returns the event as its record contains it; `null` when the record is gone. */
export function readFromRecord(
  db: Database,
  sizeLimits: ReadLimits,
  { seq, item, eventId }: Pick<EventSummary, 'seq' | 'item' | 'eventId'>,
): ReadEvent | null {
  const spoolRecord = readSubmissionRow(db, seq)
  if (spoolRecord !== null && isOtlp(spoolRecord.endpoint))
    return findEvent(spoolRecord, eventId, asDeepAsItIs(sizeLimits))
  const record = readRecord(db, seq)
  if (record === null) return null
  const envelope = parseRecord(record.endpoint, record.body)
  const frame = envelope.ok ? envelope.value.items[item] : undefined
  if (frame === undefined || !envelope.ok) throw new Error(`record ${seq} has no item ${item}`)
  const parsed = parseEvent(frame.payload, hex32(envelope.value.header.event_id) ?? eventId, sizeLimits)
  if (!parsed.ok) throw new Error(`item ${item} of record ${seq}: ${parsed.error}`)
  return parsed.value
}

/** The digest has checked the depth of a request of OpenTelemetry already, perhaps with another limit. */
const asDeepAsItIs = (sizeLimits: ReadLimits): ReadLimits => ({ ...sizeLimits, depth: Number.POSITIVE_INFINITY })

export function toEvents(db: Database, rows: readonly StoredEvent[]): EventSummary[] {
  const deliveryStatuses = readDeliveryStatuses(
    db,
    rows.map((row) => row.seq),
  )
  return rows.map((row) => ({
    ...row,
    handled: row.handled === null ? null : row.handled === 1,
    deliveryStatus: deliveryStatuses(row.seq).of(row.item),
  }))
}

export function readEvents(
  db: Database,
  filter: ListFilter,
  position: ListPosition,
  page: PageRequest,
  given = READ_BOUNDS,
): EventsPage {
  const bounds = boundsFor(filter, given)
  const found = fillPage(
    scanByRecords(db, listOf(db), filter, position, bounds),
    page,
    matchesWhole(filter, matcher(db)),
    bounds.rows,
  )
  return { events: toEvents(db, found.rows), next: found.next, journal: journalHead(db) }
}

function listOf(db: Database): TermedList<StoredEvent> {
  const [below, ofRecord] = [db.prepare(BELOW), db.prepare(OF_RECORD)]
  return {
    kind: 'event',
    below: (position, most) => below.iterate({ ...position, most }) as IterableIterator<StoredEvent>,
    ofRecord: (journal, position) => ofRecord.iterate({ ...position, of: journal }) as IterableIterator<StoredEvent>,
    positionOf: (row) => ({ journal: row.journal, id: row.eventId }),
    textsOf: eventTexts,
  }
}

export const BELOW = `SELECT ${EVENT_COLUMNS} FROM events WHERE (journal, event_id) < (@journal, @id)
  ORDER BY journal DESC, event_id DESC LIMIT @most`
export const OF_RECORD = `SELECT ${EVENT_COLUMNS} FROM events INDEXED BY events_newest
  WHERE journal = @of AND (@of < @journal OR event_id < @id) ORDER BY journal DESC, event_id DESC`

function matcher(db: Database): (row: StoredEvent, part: ListFilter) => boolean {
  const ofRecord = recordMatcher(db)
  return (row, part) =>
    hasFields(row, part, ['environment', 'release', 'service']) &&
    isOfLevel(row.level, part.level, part.starts?.level) &&
    (part.name === undefined || part.name === row.transaction) &&
    startsAs(row.transaction, part.starts?.name) &&
    (part.handled === undefined || (part.handled === null ? null : Number(part.handled)) === row.handled) &&
    (part.trace === undefined || part.trace === row.traceId) &&
    isWithin(row.timestampUs, part) &&
    ofRecord(row.seq, part) &&
    hasTexts(part, () => eventTexts(row))
}
