import type { Database } from 'better-sqlite3'
import type { EventsPage } from '../../lib/wire/event'
import { fillPage, hasAll, isWithin, type Looked, MOST_ROWS } from './look'
import type { ListPlace, PageRequest } from './page'
import { EVENT_COLUMNS, type StoredEvent, toEvents } from './read-events'
import { journalHead } from './read-journal'
import { hasWords } from './record-terms'
import { eventTexts } from './texts'
import type { Wanted } from './wanted'
import { stampOf, wantedRecords } from './wanted-records'

/** Error events, newest first. */
export function readEvents(db: Database, wanted: Wanted, place: ListPlace, page: PageRequest): EventsPage {
  const found = fillPage(lookAtEvents(db, wanted, place), page, matcher(db, wanted))
  return { events: toEvents(db, found.rows), next: found.next, journal: journalHead(db) }
}

/** What may match, in the order of the list. */
function* lookAtEvents(db: Database, wanted: Wanted, place: ListPlace): Generator<Looked<StoredEvent>> {
  const records = wantedRecords(db, 'event', wanted, place.journal)
  if (records === null) {
    for (const row of db.prepare(IN_ORDER).iterate(place) as IterableIterator<StoredEvent>)
      yield { place: { journal: row.journal, id: row.eventId }, row }
    return
  }
  const ofRecord = db.prepare(OF_RECORD)
  for (const { journal } of records) {
    for (const row of ofRecord.all({ ...place, of: journal }) as StoredEvent[])
      yield { place: { journal, id: row.eventId }, row }
    yield { place: { journal, id: '' }, row: null }
  }
}

/** Bounded, for what cannot be found by a term may be nowhere. */
export const IN_ORDER = `SELECT ${EVENT_COLUMNS} FROM events WHERE (journal, event_id) < (@journal, @id)
  ORDER BY journal DESC, event_id DESC LIMIT ${MOST_ROWS + 1}`
export const OF_RECORD = `SELECT ${EVENT_COLUMNS} FROM events
  WHERE journal = @of AND (@of < @journal OR event_id < @id) ORDER BY event_id DESC`

function matcher(db: Database, wanted: Wanted): (row: StoredEvent) => boolean {
  const stamp = stampOf(db)
  const handled = wanted.handled === undefined ? undefined : wanted.handled === null ? null : Number(wanted.handled)
  return (row) =>
    hasAll(row, wanted, ['level', 'environment', 'release', 'service']) &&
    (wanted.name === undefined || wanted.name === row.transaction) &&
    (handled === undefined || handled === row.handled) &&
    (wanted.trace === undefined || wanted.trace === row.traceId) &&
    isWithin(row.timestampUs, wanted) &&
    (wanted.stamp === undefined || wanted.stamp === stamp(row.seq)) &&
    (wanted.text === undefined || hasWords(wanted.text, eventTexts(row)))
}
