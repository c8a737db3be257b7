import type { Database } from 'better-sqlite3'
import type { SignalKind } from '../../lib/protocol/items/signal'
import { isOfLevel } from '../../lib/protocol/json'
import { hasWords } from '../../lib/protocol/search-words'
import type { ListPosition, PageRequest } from '../../lib/wire/list-position'
import type { SignalRow, SignalsPage } from '../../lib/wire/signal'
import type { ListFilter } from './list-filter'
import { fillPage, hasFields, isWithin, READ_BOUNDS } from './list-page'
import { lookByRecords, type TermedList } from './look-by-records'
import { journalHead } from './read-journal'
import { SIGNAL_COLUMNS, type StoredSignal, toSignals } from './read-signals'
import { signalTexts } from './texts'
import { stampOf } from './wanted-records'

/** Signals of one kind, newest first; those that came in one container keep the order of the list. */
export function readSignals(
  db: Database,
  kind: SignalKind,
  wanted: ListFilter,
  place: ListPosition,
  page: PageRequest,
  bounds = READ_BOUNDS,
): SignalsPage {
  const found = fillPage(
    lookByRecords(db, listOf(db, kind), wanted, place, bounds),
    page,
    matcher(db, wanted),
    bounds.rows,
  )
  return { signals: toSignals(db, found.rows), next: found.next, journal: journalHead(db) }
}

function listOf(db: Database, kind: SignalKind): TermedList<StoredSignal> {
  const [below, ofRecord] = [db.prepare(BELOW), db.prepare(OF_RECORD)]
  return {
    of: kind,
    below: (place, most) => below.iterate({ ...place, kind, most }) as IterableIterator<StoredSignal>,
    // A container may have thousands: no more are read than are looked at.
    ofRecord: (journal, place) => ofRecord.iterate({ ...place, kind, of: journal }) as IterableIterator<StoredSignal>,
    placeOf: (row) => ({ journal: row.journal, id: row.key }),
    textsOf,
  }
}

const textsOf = (row: StoredSignal): readonly string[] =>
  signalTexts({ ...row, fields: JSON.parse(row.fields) as SignalRow['fields'] })

export const BELOW = `SELECT ${SIGNAL_COLUMNS} FROM signals WHERE kind = @kind AND (journal, key) < (@journal, @id)
  ORDER BY journal DESC, key DESC LIMIT @most`
export const OF_RECORD = `SELECT ${SIGNAL_COLUMNS} FROM signals INDEXED BY signals_newest
  WHERE kind = @kind AND journal = @of AND (@of < @journal OR key < @id) ORDER BY journal DESC, key DESC`

function matcher(db: Database, wanted: ListFilter): (row: StoredSignal) => boolean {
  const stamp = stampOf(db)
  return (row) =>
    (wanted.envelope === undefined || wanted.envelope === row.seq) &&
    hasFields(row, wanted, ['name', 'environment', 'release', 'service']) &&
    isOfLevel(row.level, wanted.level) &&
    isWithin(row.timestampUs, wanted) &&
    (wanted.stamp === undefined || wanted.stamp === stamp(row.seq)) &&
    (wanted.text === undefined || hasWords(wanted.text, textsOf(row)))
}
