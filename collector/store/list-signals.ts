import type { Database } from 'better-sqlite3'
import type { SignalKind } from '../../lib/protocol/signal-kind'
import type { SignalsPage } from '../../lib/wire/signal'
import { fillPage, hasAll, isWithin, type Looked, MOST_ROWS } from './look'
import type { ListPlace, PageRequest } from './page'
import { journalHead } from './read-journal'
import { SIGNAL_COLUMNS, type StoredSignal, toSignals } from './read-signals'
import { hasWords } from './record-terms'
import { signalTexts } from './texts'
import type { Wanted } from './wanted'
import { stampOf, wantedRecords } from './wanted-records'

/** Signals of one kind, newest first; those that came in one container keep the order of the list. */
export function readSignals(
  db: Database,
  kind: SignalKind,
  wanted: Wanted,
  place: ListPlace,
  page: PageRequest,
): SignalsPage {
  const found = fillPage(lookAtSignals(db, kind, wanted, place), page, matcher(db, wanted))
  return { signals: toSignals(db, found.rows), next: found.next, journal: journalHead(db) }
}

/** What may match, in the order of the list. */
function* lookAtSignals(
  db: Database,
  kind: SignalKind,
  wanted: Wanted,
  place: ListPlace,
): Generator<Looked<StoredSignal>> {
  const records = wantedRecords(db, kind, wanted, place.journal)
  if (records === null) {
    for (const row of db.prepare(IN_ORDER).iterate({ ...place, kind }) as IterableIterator<StoredSignal>)
      yield { place: { journal: row.journal, id: row.key }, row }
    return
  }
  const ofRecord = db.prepare(OF_RECORD)
  for (const { journal } of records) {
    // A container may have thousands: no more are read than are looked at.
    for (const row of ofRecord.iterate({ ...place, kind, of: journal }) as IterableIterator<StoredSignal>)
      yield { place: { journal, id: row.key }, row }
    yield { place: { journal, id: '' }, row: null }
  }
}

/** Bounded, for what cannot be found by a term may be nowhere. */
export const IN_ORDER = `SELECT ${SIGNAL_COLUMNS} FROM signals WHERE kind = @kind AND (journal, key) < (@journal, @id)
  ORDER BY journal DESC, key DESC LIMIT ${MOST_ROWS + 1}`
export const OF_RECORD = `SELECT ${SIGNAL_COLUMNS} FROM signals
  WHERE kind = @kind AND journal = @of AND (@of < @journal OR key < @id) ORDER BY key DESC`

function matcher(db: Database, wanted: Wanted): (row: StoredSignal) => boolean {
  const stamp = stampOf(db)
  return (row) =>
    (wanted.envelope === undefined || wanted.envelope === row.seq) &&
    hasAll(row, wanted, ['level', 'name', 'environment', 'release', 'service']) &&
    isWithin(row.timestampUs, wanted) &&
    (wanted.stamp === undefined || wanted.stamp === stamp(row.seq)) &&
    (wanted.text === undefined || hasWords(wanted.text, signalTexts({ ...row, fields: fieldsOf(row) })))
}

const fieldsOf = (row: StoredSignal) => JSON.parse(row.fields) as SignalsPage['signals'][number]['fields']
