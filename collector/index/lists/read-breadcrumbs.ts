import type { Database } from 'better-sqlite3'
import { isOfLevel } from '../../../lib/protocol/level'
import { hasTokens } from '../../../lib/protocol/search-tokens'
import type { Breadcrumb, BreadcrumbsPage } from '../../../lib/wire/event'
import { fillPage, READ_BOUNDS, type ReadBounds, type Scanned } from '../../../lib/wire/fill-page'
import { hasFields, isWithin, type ListFilter } from '../../../lib/wire/list-filter'
import type { ListPosition, PageRequest } from '../../../lib/wire/list-paging'
import { journalHead } from '../../spool/local'
import { EXTRA_RECORDS, recordsOfTrace } from './list-by-terms'

interface StoredBreadcrumb extends Omit<Breadcrumb, 'data'> {
  readonly data: string | null
}

const BREADCRUMB_COLUMNS = `event_id AS eventId, position AS "index", timestamp_us AS timestampUs, category, type, level, message,
  data`

/** Breadcrumbs in one answer: each of the thousand errors of a trace may have a thousand. */
export const MAX_BREADCRUMBS = 20_000

/** The breadcrumbs of some events; within an event the oldest first. */
export function readBreadcrumbs(db: Database, eventIds: readonly string[], most = MAX_BREADCRUMBS): Breadcrumb[] {
  const rows = db
    .prepare(
      `SELECT ${BREADCRUMB_COLUMNS} FROM breadcrumbs WHERE event_id IN (SELECT value FROM json_each(?))
       ORDER BY event_id, position LIMIT ?`,
    )
    .all(JSON.stringify(eventIds), most) as StoredBreadcrumb[]
  return rows.map(toBreadcrumb)
}

const toBreadcrumb = (row: StoredBreadcrumb): Breadcrumb => ({
  ...row,
  data: row.data === null ? null : (JSON.parse(row.data) as Breadcrumb['data']),
})

export function readTrail(db: Database, event: string, filter: ListFilter): BreadcrumbsPage {
  const breadcrumbs = readBreadcrumbs(db, [event]).filter((crumb) => matchesFilter(crumb, filter))
  return { breadcrumbs, next: null, journal: journalHead(db) }
}

/** Breadcrumbs of all events: the newest event first, and within an event the last breadcrumb first. */
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

/** A position in the list: below an event, or below one of its breadcrumbs. */
interface BreadcrumbPosition {
  readonly journal: number
  readonly eventId: string
  /** `null` when all breadcrumbs of the event were read. */
  readonly below: number | null
}

const ID_DIGITS = 32
/** Larger than any index: reads every breadcrumb of the event. */
const ALL = 0xffffff

const positionOf = (journal: number, { eventId, index }: StoredBreadcrumb): ListPosition => ({
  journal,
  id: `${eventId}${index.toString(16)}`,
})

function parsePosition({ journal, id }: ListPosition): BreadcrumbPosition {
  const below = Number.parseInt(id.slice(ID_DIGITS), 16)
  return { journal, eventId: id.slice(0, ID_DIGITS), below: Number.isNaN(below) ? null : below }
}

interface EventRef {
  readonly journal: number
  readonly eventId: string
}

function* scanBreadcrumbs(
  db: Database,
  filter: ListFilter,
  at: ListPosition,
  bounds: ReadBounds,
): Generator<Scanned<StoredBreadcrumb>> {
  const position = parsePosition(at)
  const ofEvent = db.prepare(BREADCRUMBS_BELOW)
  for (const { journal, eventId } of eventsFrom(db, filter, position, bounds)) {
    const continuesHere = journal === position.journal && eventId === position.eventId
    if (continuesHere && position.below === null) continue
    const below = continuesHere ? position.below : ALL
    for (const row of ofEvent.iterate(eventId, below) as IterableIterator<StoredBreadcrumb>)
      yield { position: positionOf(journal, row), row }
    yield { position: { journal, id: eventId }, row: null }
  }
}

/** Newest first. With a trace filter, each record that was read ends with an event without id. */
function* eventsFrom(
  db: Database,
  { trace }: ListFilter,
  { journal, eventId }: BreadcrumbPosition,
  bounds: ReadBounds,
): Generator<EventRef> {
  if (trace === undefined) {
    const most = bounds.rows + EXTRA_RECORDS
    yield* db.prepare(EVENTS_FROM).iterate({ journal, eventId, most }) as IterableIterator<EventRef>
    return
  }
  const ofRecord = db.prepare(EVENTS_OF_RECORD)
  for (const record of recordsOfTrace(db, trace, eventId === '' ? journal - 1 : journal, bounds)) {
    yield* ofRecord.all({ of: record.journal, trace, journal, eventId }) as EventRef[]
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
