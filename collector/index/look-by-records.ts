import type { Database } from 'better-sqlite3'
import { beginsOneOf, wordsIn } from '../../lib/protocol/search-words'
import type { ListPosition } from '../../lib/wire/list-position'
import type { ListFilter } from './list-filter'
import type { ReadBounds, Scanned } from './list-page'
import type { TermsOf } from './terms-records'
import { wantedRecords } from './wanted-records'

/** A list whose rows can be found by the terms of their records. */
export interface TermedList<Row> {
  readonly of: TermsOf
  /** At most so many rows below a place, in the order of the list. */
  readonly below: (place: ListPosition, most: number) => Iterable<Row>
  /** Those of one record below a place. */
  readonly ofRecord: (journal: number, place: ListPosition) => Iterable<Row>
  readonly placeOf: (row: Row) => ListPosition
  readonly textsOf: (row: Row) => readonly (string | null)[]
}

/** So many rows tell which of the wanted words are common: they fill a page without an index. */
const SAMPLE = 200
/** In more of them than this a word is common. */
const COMMON_IN = 10

/**
 * Rows that may match, in the order of the list. All that begins with some letters is gathered by the index before it
 * gives the first, so it is not asked for words that are common.
 */
export function* lookByRecords<Row>(
  db: Database,
  list: TermedList<Row>,
  wanted: ListFilter,
  place: ListPosition,
  bounds: ReadBounds,
): Generator<Scanned<Row>> {
  const { text } = wanted
  if (text === undefined || wanted.trace !== undefined || wanted.envelope !== undefined) {
    yield* lookFrom(db, list, wanted, place, bounds)
    return
  }
  const counts = new Map(text.map((word) => [word, 0]))
  let at = place
  let many = 0
  for (const row of list.below(place, SAMPLE)) {
    at = list.placeOf(row)
    many += 1
    yield { place: at, row }
    const words = wordsIn(list.textsOf(row))
    for (const word of text) if (beginsOneOf(word, words)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  if (many < SAMPLE) return
  yield* lookFrom(
    db,
    list,
    { ...wanted, text: text.filter((word) => (counts.get(word) ?? 0) <= COMMON_IN) },
    at,
    bounds,
  )
}

function* lookFrom<Row>(
  db: Database,
  list: TermedList<Row>,
  wanted: ListFilter,
  place: ListPosition,
  bounds: ReadBounds,
): Generator<Scanned<Row>> {
  // A place without an id is below the whole record.
  const journal = place.id === '' ? place.journal - 1 : place.journal
  const records = wantedRecords(db, list.of, wanted, journal, bounds)
  if (records === null) {
    for (const row of list.below(place, bounds.rows + 1)) yield { place: list.placeOf(row), row }
    return
  }
  for (const one of records) {
    if ('leftAt' in one) {
      yield one
      return
    }
    for (const row of list.ofRecord(one.journal, place)) yield { place: list.placeOf(row), row }
    yield { place: { journal: one.journal, id: '' }, row: null }
  }
}
