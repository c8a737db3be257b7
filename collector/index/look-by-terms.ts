import type { Database } from 'better-sqlite3'
import { numberOfPlace, placeOf, SLOTS } from './list-place'
import type { Looked } from './look'
import type { ListPlace } from './page'
import { matching, type TermsTable } from './term-index'
import { matchOf } from './terms'
import type { Wanted } from './wanted'

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
  wanted: Wanted,
  place: ListPlace,
): Generator<Looked<Row>> {
  const match = matchOf(wanted)
  const { oldest, newest } = db.prepare(bounds(table)).get() as { oldest: number | null; newest: number | null }
  if (oldest === null || newest === null) return
  const before = Math.min(numberOfPlace(place), newest + 1)
  if (match === null) {
    yield* looked<Row>(db.prepare(inOrder(table)).iterate({ before }))
    return
  }
  const floor = before - MOST_FACTS * SLOTS
  yield* looked<Row>(db.prepare(byTerms(table)).iterate({ match, before, floor }))
  if (oldest < floor) yield { leftAt: placeOf(floor) }
}

function* looked<Row extends { readonly listPlace: number }>(rows: IterableIterator<unknown>): Generator<Looked<Row>> {
  for (const row of rows as IterableIterator<Row>) yield { place: placeOf(row.listPlace), row }
}

const bounds = ({ name }: ListedTable): string =>
  `SELECT (SELECT min(list_place) FROM ${name}) AS oldest, (SELECT max(list_place) FROM ${name}) AS newest`

export const inOrder = ({ name, columns }: ListedTable): string =>
  `SELECT ${columns} FROM ${name} WHERE list_place < @before ORDER BY list_place DESC`

export const byTerms = ({ name, terms, columns }: ListedTable): string =>
  `SELECT ${columns} FROM ${terms} CROSS JOIN ${name} ON list_place = ${terms}.rowid WHERE ${matching(terms)}`
