import type { Database } from 'better-sqlite3'
import { startsAny, tokensOfAll } from '../../lib/protocol/search-tokens'
import type { ListPosition } from '../../lib/wire/list-position'
import type { ListFilter } from './list-filter'
import { numberFromPosition, positionFromNumber, type ReadBounds, type Scanned, SLOTS } from './list-page'
import { matching, type TermsTable } from './terms-index'
import { recordMatchExpression, type TermsOf } from './terms-records'
import { matchExpression } from './terms-traces'

/**
 * A page goes through the terms of so many facts of the journal: an envelope is three or four of them. Terms that are
 * each common and never together cost 4 ms per 200,000 traces, and up to 20 ms with two ranges beside them.
 */
export const MOST_FACTS = 2_000_000

/** A table that goes by places in its list, and the index of its terms. */
export interface ListedTable {
  readonly name: 'traces' | 'segments'
  readonly terms: TermsTable
  readonly columns: string
}

/** What may be wanted, newest first; whoever asks compares it with what is wanted. */
export function* lookByTerms<Row extends { readonly listPlace: number }>(
  db: Database,
  table: ListedTable,
  wanted: ListFilter,
  place: ListPosition,
): Generator<Scanned<Row>> {
  const match = matchExpression(wanted)
  const { oldest, newest } = db.prepare(bounds(table)).get() as { oldest: number | null; newest: number | null }
  if (oldest === null || newest === null) return
  const before = Math.min(numberFromPosition(place), newest + 1)
  if (match === null) {
    yield* looked<Row>(db.prepare(inOrder(table)).iterate({ before }))
    return
  }
  const floor = before - MOST_FACTS * SLOTS
  yield* looked<Row>(db.prepare(byTerms(table)).iterate({ match, before, floor }))
  if (oldest < floor) yield { leftAt: positionFromNumber(floor) }
}

function* looked<Row extends { readonly listPlace: number }>(rows: IterableIterator<unknown>): Generator<Scanned<Row>> {
  for (const row of rows as IterableIterator<Row>) yield { place: positionFromNumber(row.listPlace), row }
}

const bounds = ({ name }: ListedTable): string =>
  `SELECT (SELECT min(list_place) FROM ${name}) AS oldest, (SELECT max(list_place) FROM ${name}) AS newest`

export const inOrder = ({ name, columns }: ListedTable): string =>
  `SELECT ${columns} FROM ${name} WHERE list_place < @before ORDER BY list_place DESC`

export const byTerms = ({ name, terms, columns }: ListedTable): string =>
  `SELECT ${columns} FROM ${terms} CROSS JOIN ${name} ON list_place = ${terms}.rowid WHERE ${matching(terms)}`

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
    const words = tokensOfAll(list.textsOf(row))
    for (const word of text) if (startsAny(word, words)) counts.set(word, (counts.get(word) ?? 0) + 1)
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

export interface WantedRecord {
  readonly seq: number
  readonly journal: number
}

/** More than a page looks at: the one it begins behind, and one that tells that there are more. */
export const BEYOND = 2

/** Where the index was left, and the list goes on. */
interface LeftAt {
  readonly leftAt: ListPosition
}

/**
 * The records that may tell of what is wanted, newest first: by number, by trace, else by terms. What they tell is for
 * the caller to compare.
 * @param journal records received after this fact are left out.
 * @returns `null` where no index knows them.
 */
export function wantedRecords(
  db: Database,
  of: TermsOf,
  wanted: ListFilter,
  journal: number,
  bounds: ReadBounds,
): Iterable<WantedRecord | LeftAt> | null {
  const [sql, value] = howFound(of, wanted)
  if (value === null) return null
  const upTo = Number(db.prepare(NEWEST_UP_TO).pluck().get(journal) ?? 0)
  const floor = sql === BY_TERMS ? upTo + 1 - bounds.records : 1
  return found(db, sql, { value, match: value, upTo, before: upTo + 1, floor, most: bounds.rows + BEYOND })
}

function* found(
  db: Database,
  sql: string,
  bound: Readonly<Record<'upTo' | 'before' | 'floor' | 'most', number> & Record<'value' | 'match', string | number>>,
): Generator<WantedRecord | LeftAt> {
  yield* db.prepare(sql).iterate(bound) as IterableIterator<WantedRecord>
  const next =
    bound.floor > 1
      ? db
          .prepare(NEWEST_AT)
          .pluck()
          .get(bound.floor - 1)
      : undefined
  // Below the next fact: the record itself is looked at by the page that follows.
  if (typeof next === 'number') yield { leftAt: { journal: next + 1, id: '' } }
}

function howFound(of: TermsOf, wanted: ListFilter): readonly [sql: string, value: string | number | null] {
  if (wanted.envelope !== undefined) return [BY_NUMBER, wanted.envelope]
  return wanted.trace === undefined ? [BY_TERMS, recordMatchExpression(of, wanted)] : [BY_TRACE, wanted.trace]
}

/** The records that tell of a trace, newest first. */
export function recordsOfTrace(
  db: Database,
  trace: string,
  journal: number,
  bounds: ReadBounds,
): IterableIterator<WantedRecord> {
  const upTo = Number(db.prepare(NEWEST_UP_TO).pluck().get(journal) ?? 0)
  return db
    .prepare(BY_TRACE)
    .iterate({ value: trace, upTo, most: bounds.rows + BEYOND }) as IterableIterator<WantedRecord>
}

/** The newest record with items that was received up to a fact: numbers of records grow as the journal does. */
export const NEWEST_UP_TO = 'SELECT seq FROM items WHERE journal <= ? ORDER BY journal DESC LIMIT 1'
export const NEWEST_AT = 'SELECT journal FROM envelopes WHERE seq <= ? ORDER BY seq DESC LIMIT 1'
export const BY_NUMBER = 'SELECT seq, journal FROM envelopes WHERE seq = @value AND seq <= @upTo'
export const BY_TRACE = `SELECT seq, journal FROM trace_records WHERE trace_id = @value AND seq <= @upTo
  ORDER BY seq DESC LIMIT @most`
export const BY_TERMS = `SELECT e.seq AS seq, e.journal AS journal FROM
    (SELECT rowid FROM record_terms WHERE ${matching('record_terms')} LIMIT @most) found
  CROSS JOIN envelopes e ON e.seq = found.rowid`

/** The stamp of a record. */
export function stampOf(db: Database): (seq: number) => string | null {
  const read = db.prepare('SELECT stamp FROM envelopes WHERE seq = ?').pluck()
  return (seq) => (read.get(seq) ?? null) as string | null
}
