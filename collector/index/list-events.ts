import type { Database } from 'better-sqlite3'
import { isOfLevel } from '../../lib/protocol/json'
import { hasWords } from '../../lib/protocol/search-words'
import type { EventsPage } from '../../lib/wire/event'
import type { ListPosition, PageRequest } from '../../lib/wire/list-position'
import type { ListFilter } from './list-filter'
import { fillPage, hasFields, isWithin, READ_BOUNDS } from './list-page'
import { lookByRecords, type TermedList } from './look-by-records'
import { EVENT_COLUMNS, type StoredEvent, toEvents } from './read-events'
import { journalHead } from './read-journal'
import { eventTexts } from './texts'
import { stampOf } from './wanted-records'

/** Error events, newest first. */
export function readEvents(
  db: Database,
  wanted: ListFilter,
  place: ListPosition,
  page: PageRequest,
  bounds = READ_BOUNDS,
): EventsPage {
  const found = fillPage(lookByRecords(db, listOf(db), wanted, place, bounds), page, matcher(db, wanted), bounds.rows)
  return { events: toEvents(db, found.rows), next: found.next, journal: journalHead(db) }
}

function listOf(db: Database): TermedList<StoredEvent> {
  const [below, ofRecord] = [db.prepare(BELOW), db.prepare(OF_RECORD)]
  return {
    of: 'event',
    below: (place, most) => below.iterate({ ...place, most }) as IterableIterator<StoredEvent>,
    ofRecord: (journal, place) => ofRecord.iterate({ ...place, of: journal }) as IterableIterator<StoredEvent>,
    placeOf: (row) => ({ journal: row.journal, id: row.eventId }),
    textsOf: eventTexts,
  }
}

export const BELOW = `SELECT ${EVENT_COLUMNS} FROM events WHERE (journal, event_id) < (@journal, @id)
  ORDER BY journal DESC, event_id DESC LIMIT @most`
export const OF_RECORD = `SELECT ${EVENT_COLUMNS} FROM events INDEXED BY events_newest
  WHERE journal = @of AND (@of < @journal OR event_id < @id) ORDER BY journal DESC, event_id DESC`

function matcher(db: Database, wanted: ListFilter): (row: StoredEvent) => boolean {
  const stamp = stampOf(db)
  const handled = wanted.handled === undefined ? undefined : wanted.handled === null ? null : Number(wanted.handled)
  return (row) =>
    hasFields(row, wanted, ['environment', 'release', 'service']) &&
    isOfLevel(row.level, wanted.level) &&
    (wanted.name === undefined || wanted.name === row.transaction) &&
    (handled === undefined || handled === row.handled) &&
    (wanted.trace === undefined || wanted.trace === row.traceId) &&
    isWithin(row.timestampUs, wanted) &&
    (wanted.stamp === undefined || wanted.stamp === stamp(row.seq)) &&
    (wanted.text === undefined || hasWords(wanted.text, eventTexts(row)))
}
