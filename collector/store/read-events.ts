import type { Database } from 'better-sqlite3'
import { parseEvent } from '../../lib/items/event'
import type { ReadLimits } from '../../lib/items/signal'
import { hex32 } from '../../lib/protocol/ids'
import { frameRecord } from '../../lib/protocol/record'
import type { Breadcrumb, EventDetail, EventSummary, EventsPage } from '../../lib/wire/event'
import { cutPage, type ListPlace, type PageRequest } from './page'
import { readRecord } from './read-envelopes'
import { readFates } from './read-fates'
import { journalHead } from './read-journal'

type EventRow = Omit<EventSummary, 'handled' | 'fate'> & { readonly handled: number | null }

const COLUMNS = `event_id AS eventId, seq, item, journal, trace_id AS traceId, span_id AS spanId, timestamp_us AS timestampUs,
  received_at AS receivedAt, level, platform, service, title, handled, mechanism, "transaction", environment, release, digest, copy`

/** Error events, newest first. */
export function readEvents(db: Database, place: ListPlace, page: PageRequest): EventsPage {
  const rows = db
    .prepare(
      `SELECT ${COLUMNS} FROM events WHERE journal < @journal OR (journal = @journal AND event_id > @id)
       ORDER BY journal DESC, event_id LIMIT @limit`,
    )
    .all({ ...place, limit: page.limit + 1 }) as EventRow[]
  const cut = cutPage(rows, page.limit, (row) => ({ journal: row.journal, id: row.eventId }))
  return { events: toSummaries(db, cut.rows), next: cut.next, journal: journalHead(db) }
}

/** The errors of a trace, by time. */
export function readEventsOfTrace(db: Database, traceId: string): EventSummary[] {
  const rows = db
    .prepare(`SELECT ${COLUMNS} FROM events WHERE trace_id = ? ORDER BY timestamp_us, event_id LIMIT 1000`)
    .all(traceId) as EventRow[]
  return toSummaries(db, rows)
}

/** One event with everything its payload says, read from the record. */
export function readEvent(db: Database, limits: ReadLimits, eventId: string): EventDetail | null {
  const row = db.prepare(`SELECT ${COLUMNS} FROM events WHERE event_id = ?`).get(eventId) as EventRow | undefined
  const [summary] = row === undefined ? [] : toSummaries(db, [row])
  const record = row === undefined ? null : readRecord(db, row.seq)
  if (summary === undefined || record === null) return null
  const envelope = frameRecord(record.door, record.body)
  const frame = envelope.ok ? envelope.value.items[summary.item] : undefined
  if (frame === undefined || !envelope.ok) throw new Error(`record ${summary.seq} has no item ${summary.item}`)
  // The digest has judged its depth, under a limit that may have been another.
  const asDeepAsItIs = { ...limits, depth: Number.POSITIVE_INFINITY }
  const parsed = parseEvent(frame.payload, hex32(envelope.value.header.event_id) ?? eventId, asDeepAsItIs)
  if (!parsed.ok) throw new Error(`item ${summary.item} of record ${summary.seq}: ${parsed.error}`)
  const event = parsed.value
  return {
    ...summary,
    exceptions: event.exceptions.map((exception) => ({ ...exception, frames: [...exception.frames] })),
    breadcrumbs: event.breadcrumbs.map((crumb, index) => ({
      ...crumb,
      data: crumb.data === null ? null : { ...crumb.data },
      eventId,
      index,
    })),
    tags: event.tags,
    contexts: { ...event.contexts },
    request: event.request === null ? null : { ...event.request },
    payload: { ...event.payload },
  }
}

interface BreadcrumbRow extends Omit<Breadcrumb, 'data'> {
  readonly data: string | null
}

/** One answer carries so many breadcrumbs: a thousand errors of a trace may each have a thousand. */
const MOST_BREADCRUMBS = 20_000

/** Breadcrumbs of some events, each event's oldest first. */
export function readBreadcrumbs(db: Database, eventIds: readonly string[]): Breadcrumb[] {
  const rows = db
    .prepare(
      `SELECT event_id AS eventId, place AS "index", timestamp_us AS timestampUs, category, type, level, message, data
       FROM breadcrumbs WHERE event_id IN (SELECT value FROM json_each(?)) ORDER BY event_id, place LIMIT ${MOST_BREADCRUMBS}`,
    )
    .all(JSON.stringify(eventIds)) as BreadcrumbRow[]
  return rows.map((row) => ({
    ...row,
    data: row.data === null ? null : (JSON.parse(row.data) as Record<string, unknown>),
  }))
}

function toSummaries(db: Database, rows: readonly EventRow[]): EventSummary[] {
  const fates = readFates(
    db,
    rows.map((row) => row.seq),
  )
  return rows.map((row) => ({
    ...row,
    handled: row.handled === null ? null : row.handled === 1,
    fate: fates(row.seq).of(row.item),
  }))
}
