import type { Database } from 'better-sqlite3'
import { isOfLevel } from '../../lib/protocol/json'
import { hasTokens } from '../../lib/protocol/search-tokens'
import type { Breadcrumb, BreadcrumbsPage } from '../../lib/wire/event'
import type { ListPosition, PageRequest } from '../../lib/wire/list-position'
import { EXTRA_RECORDS, recordsOfTrace } from './list-by-terms'
import type { ListFilter } from './list-filter'
import { fillPage, hasFields, isWithin, READ_BOUNDS, type ReadBounds, type Scanned } from './list-page'
import { journalHead } from './read-journal'

/** A breadcrumb as its row has it. */
export interface StoredBreadcrumb extends Omit<Breadcrumb, 'data'> {
  readonly data: string | null
}

export const BREADCRUMB_COLUMNS = `event_id AS eventId, position AS "index", timestamp_us AS timestampUs, category, type, level, message,
  data`

/** One answer carries so many breadcrumbs: a thousand errors of a trace may each have a thousand. */
export const MAX_BREADCRUMBS = 20_000

/** Breadcrumbs of some events, each event's oldest first. */
export function readBreadcrumbs(db: Database, eventIds: readonly string[], most = MAX_BREADCRUMBS): Breadcrumb[] {
  const rows = db
    .prepare(
      `SELECT ${BREADCRUMB_COLUMNS} FROM breadcrumbs WHERE event_id IN (SELECT value FROM json_each(?))
       ORDER BY event_id, position LIMIT ?`,
    )
    .all(JSON.stringify(eventIds), most) as StoredBreadcrumb[]
  return rows.map(toBreadcrumb)
}

export const toBreadcrumb = (row: StoredBreadcrumb): Breadcrumb => ({
  ...row,
  data: row.data === null ? null : (JSON.parse(row.data) as Breadcrumb['data']),
})

/** The breadcrumbs of one event that are wanted, oldest first: its whole trail where nothing else is. */
export function readTrail(db: Database, event: string, filter: ListFilter): BreadcrumbsPage {
  const breadcrumbs = readBreadcrumbs(db, [event]).filter((crumb) => matchesFilter(crumb, filter))
  return { breadcrumbs, next: null, journal: journalHead(db) }
}

/** Breadcrumbs of all events: the newest event's first, and of one event the last. */
export function readAllBreadcrumbs(
  db: Database,
  filter: ListFilter,
  at: ListPosition,
  page: PageRequest,
  bounds = READ_BOUNDS,
): BreadcrumbsPage {
  const found = fillPage(
    scanBreadcrumbs(db, filter, at, bounds),
    page,
    (crumb) => matchesFilter(crumb, filter),
    bounds.rows,
  )
  return { breadcrumbs: found.rows.map(toBreadcrumb), next: found.next, journal: journalHead(db) }
}

/** A place among breadcrumbs: below which event, or below which breadcrumb of it. */
interface TrailPosition {
  readonly journal: number
  readonly eventId: string
  /** `null` where all of the event was looked at. */
  readonly below: number | null
}

const ID_DIGITS = 32
/** Below what has no number: every breadcrumb of the event. */
const EVERY = 0xffffff

const positionOf = (journal: number, { eventId, index }: StoredBreadcrumb): ListPosition => ({
  journal,
  id: `${eventId}${index.toString(16)}`,
})

function trailPosition({ journal, id }: ListPosition): TrailPosition {
  const below = Number.parseInt(id.slice(ID_DIGITS), 16)
  return { journal, eventId: id.slice(0, ID_DIGITS), below: Number.isNaN(below) ? null : below }
}

interface Owner {
  readonly journal: number
  readonly eventId: string
}

function* scanBreadcrumbs(
  db: Database,
  filter: ListFilter,
  at: ListPosition,
  bounds: ReadBounds,
): Generator<Scanned<StoredBreadcrumb>> {
  const position = trailPosition(at)
  const ofEvent = db.prepare(BREADCRUMBS_BELOW)
  for (const { journal, eventId } of eventsFrom(db, filter, position, bounds)) {
    const isGoneOn = journal === position.journal && eventId === position.eventId
    if (isGoneOn && position.below === null) continue
    const below = isGoneOn ? position.below : EVERY
    for (const row of ofEvent.iterate(eventId, below) as IterableIterator<StoredBreadcrumb>)
      yield { position: positionOf(journal, row), row }
    yield { position: { journal, id: eventId }, row: null }
  }
}

/** Events from a place on, itself included, newest first; a record that was looked through is told by one without an id. */
function* eventsFrom(
  db: Database,
  { trace }: ListFilter,
  { journal, eventId }: TrailPosition,
  bounds: ReadBounds,
): Generator<Owner> {
  if (trace === undefined) {
    const most = bounds.rows + EXTRA_RECORDS
    yield* db.prepare(EVENTS_FROM).iterate({ journal, eventId, most }) as IterableIterator<Owner>
    return
  }
  const ofRecord = db.prepare(EVENTS_OF_RECORD)
  for (const record of recordsOfTrace(db, trace, eventId === '' ? journal - 1 : journal, bounds)) {
    yield* ofRecord.all({ of: record.journal, trace, journal, eventId }) as Owner[]
    yield { journal: record.journal, eventId: '' }
  }
}

export const EVENTS_FROM = `SELECT journal, event_id AS eventId FROM events WHERE (journal, event_id) <= (@journal, @eventId)
  ORDER BY journal DESC, event_id DESC LIMIT @most`
export const EVENTS_OF_RECORD = `SELECT journal, event_id AS eventId FROM events INDEXED BY events_newest
  WHERE journal = @of AND trace_id = @trace AND (@of < @journal OR event_id <= @eventId)
  ORDER BY journal DESC, event_id DESC`
export const BREADCRUMBS_BELOW = `SELECT ${BREADCRUMB_COLUMNS} FROM breadcrumbs
  WHERE event_id = ? AND position < ? ORDER BY position DESC`

const matchesFilter = (crumb: Omit<Breadcrumb, 'data'>, filter: ListFilter): boolean =>
  hasFields(crumb, filter, ['category']) &&
  isOfLevel(crumb.level, filter.level) &&
  isWithin(crumb.timestampUs, filter) &&
  (filter.text === undefined || hasTokens(filter.text, [crumb.message]))
