import type { Database } from 'better-sqlite3'
import { startsAny, tokensOfAll } from '../../../lib/protocol/search-tokens'
import type { ReadBounds, Scanned } from '../../../lib/wire/fill-page'
import { hasFields, type ListFilter } from '../../../lib/wire/list-filter'
import type { ListPosition } from '../../../lib/wire/list-paging'
import { matching, type TermsTable } from '../rows/terms-index'
import { recordMatchExpression, type TermKind } from '../rows/terms-records'
import { matchExpression } from '../rows/terms-traces'
import { numberFromPosition, positionFromNumber, SLOTS } from '../traces/trace-position'

/* Candidates for a page of a list, found by terms. Terms may match too much: the caller compares each row. */

/**
 * Facts whose terms a page searches (3 or 4 per envelope). Common terms that never occur together cost 4 ms per 200,000
 * traces, and up to 20 ms with two ranges.
 */
export const MAX_FACTS = 2_000_000

/** With negated values FTS5 reads the terms of every row that they exclude: 9 ms. */
export const MAX_FACTS_EXCLUDED = 150_000

export interface ListedTable {
  readonly name: 'traces' | 'segments'
  readonly terms: TermsTable
  readonly columns: string
}

export function* scanByTerms<Row extends { readonly listPosition: number }>(
  db: Database,
  table: ListedTable,
  filter: ListFilter,
  position: ListPosition,
): Generator<Scanned<Row>> {
  const match = matchExpression(filter)
  const { oldest, newest } = db.prepare(bounds(table)).get() as { oldest: number | null; newest: number | null }
  if (oldest === null || newest === null) return
  const before = Math.min(numberFromPosition(position), newest + 1)
  if (match === null) {
    yield* scanned<Row>(db.prepare(inOrder(table)).iterate({ before }))
    return
  }
  const floor = before - (filter.not === undefined ? MAX_FACTS : MAX_FACTS_EXCLUDED) * SLOTS
  yield* scanned<Row>(db.prepare(byTerms(table)).iterate({ match, before, floor }))
  if (oldest < floor) yield { stoppedAt: positionFromNumber(floor) }
}

function* scanned<Row extends { readonly listPosition: number }>(
  rows: IterableIterator<unknown>,
): Generator<Scanned<Row>> {
  for (const row of rows as IterableIterator<Row>) yield { position: positionFromNumber(row.listPosition), row }
}

const bounds = ({ name }: ListedTable): string =>
  `SELECT (SELECT min(list_position) FROM ${name}) AS oldest, (SELECT max(list_position) FROM ${name}) AS newest`

export const inOrder = ({ name, columns }: ListedTable): string =>
  `SELECT ${columns} FROM ${name} WHERE list_position < @before ORDER BY list_position DESC`

export const byTerms = ({ name, terms, columns }: ListedTable): string =>
  `SELECT ${columns} FROM ${terms} CROSS JOIN ${name} ON list_position = ${terms}.rowid WHERE ${matching(terms)}`

/** A list whose rows are found by the terms of their records. */
export interface TermedList<Row> {
  readonly kind: TermKind
  /** At most this many rows below a position, in the order of the list. */
  readonly below: (position: ListPosition, most: number) => Iterable<Row>
  readonly ofRecord: (journal: number, position: ListPosition) => Iterable<Row>
  readonly positionOf: (row: Row) => ListPosition
  readonly textsOf: (row: Row) => readonly (string | null)[]
}

/** Rows in the sample that finds common tokens. They fill a page without the index. */
const SAMPLE = 200
const COMMON_FROM = 10

/** FTS5 collects all matches of a prefix before it returns the first one, so common tokens are not searched there. */
export function* scanByRecords<Row>(
  db: Database,
  list: TermedList<Row>,
  filter: ListFilter,
  position: ListPosition,
  bounds: ReadBounds,
): Generator<Scanned<Row>> {
  const { text } = filter
  if (text === undefined || filter.trace !== undefined || filter.envelope !== undefined) {
    yield* scanRecords(db, list, filter, position, bounds)
    return
  }
  const counts = new Map(text.map((token) => [token, 0]))
  let at = position
  let sampled = 0
  for (const row of list.below(position, SAMPLE)) {
    at = list.positionOf(row)
    sampled += 1
    yield { position: at, row }
    const tokens = tokensOfAll(list.textsOf(row))
    for (const token of text) if (startsAny(token, tokens)) counts.set(token, (counts.get(token) ?? 0) + 1)
  }
  if (sampled < SAMPLE) return
  const rareTokens = text.filter((token) => (counts.get(token) ?? 0) <= COMMON_FROM)
  yield* scanRecords(db, list, { ...filter, text: rareTokens }, at, bounds)
}

function* scanRecords<Row>(
  db: Database,
  list: TermedList<Row>,
  filter: ListFilter,
  position: ListPosition,
  bounds: ReadBounds,
): Generator<Scanned<Row>> {
  // A position without an id is below all rows of its record.
  const journal = position.id === '' ? position.journal - 1 : position.journal
  const records = matchingRecords(db, list.kind, filter, journal, bounds)
  if (records === null) {
    for (const row of list.below(position, bounds.rows + 1)) yield { position: list.positionOf(row), row }
    return
  }
  for (const one of records) {
    if ('stoppedAt' in one) {
      yield one
      return
    }
    for (const row of list.ofRecord(one.journal, position)) yield { position: list.positionOf(row), row }
    yield { position: { journal: one.journal, id: '' }, row: null }
  }
}

export interface RecordRef {
  readonly seq: number
  readonly journal: number
}

/** Records to read beyond the bound: the one at which the page starts, and one that shows that there are more. */
export const EXTRA_RECORDS = 2

interface StoppedAt {
  readonly stoppedAt: ListPosition
}

/**
 * The records that may contain matching rows, newest first; `null` when no index applies to the filter.
 * @param journal leaves out records that were received after this fact.
 */
function matchingRecords(
  db: Database,
  kind: TermKind,
  filter: ListFilter,
  journal: number,
  bounds: ReadBounds,
): Iterable<RecordRef | StoppedAt> | null {
  const [sql, value] = chooseIndex(kind, filter)
  if (value === null) return null
  const upTo = Number(db.prepare(NEWEST_UP_TO).pluck().get(journal) ?? 0)
  const floor = sql === BY_TERMS ? upTo + 1 - bounds.records : 1
  return readRefs(db, sql, { value, match: value, upTo, before: upTo + 1, floor, most: bounds.rows + EXTRA_RECORDS })
}

function chooseIndex(kind: TermKind, filter: ListFilter): readonly [sql: string, value: string | number | null] {
  if (filter.envelope !== undefined) return [BY_NUMBER, filter.envelope]
  return filter.trace === undefined ? [BY_TERMS, recordMatchExpression(kind, filter)] : [BY_TRACE, filter.trace]
}

function* readRefs(
  db: Database,
  sql: string,
  bound: Readonly<Record<'upTo' | 'before' | 'floor' | 'most', number> & Record<'value' | 'match', string | number>>,
): Generator<RecordRef | StoppedAt> {
  yield* db.prepare(sql).iterate(bound) as IterableIterator<RecordRef>
  if (bound.floor <= 1) return
  const next = db
    .prepare(NEWEST_AT)
    .pluck()
    .get(bound.floor - 1)
  // Below the next fact, so that the next page reads that record itself.
  if (typeof next === 'number') yield { stoppedAt: { journal: next + 1, id: '' } }
}

export function recordsOfTrace(
  db: Database,
  trace: string,
  journal: number,
  bounds: ReadBounds,
): IterableIterator<RecordRef> {
  const upTo = Number(db.prepare(NEWEST_UP_TO).pluck().get(journal) ?? 0)
  return db
    .prepare(BY_TRACE)
    .iterate({ value: trace, upTo, most: bounds.rows + EXTRA_RECORDS }) as IterableIterator<RecordRef>
}

/** The newest record with items up to a fact: sequence numbers grow as journal numbers do. */
export const NEWEST_UP_TO = 'SELECT seq FROM items WHERE journal <= ? ORDER BY journal DESC LIMIT 1'
export const NEWEST_AT = 'SELECT journal FROM envelopes WHERE seq <= ? ORDER BY seq DESC LIMIT 1'
export const BY_NUMBER = 'SELECT seq, journal FROM envelopes WHERE seq = @value AND seq <= @upTo'
export const BY_TRACE = `SELECT seq, journal FROM trace_records WHERE trace_id = @value AND seq <= @upTo
  ORDER BY seq DESC LIMIT @most`
export const BY_TERMS = `SELECT e.seq AS seq, e.journal AS journal FROM
    (SELECT rowid FROM record_terms WHERE ${matching('record_terms')} LIMIT @most) found
  CROSS JOIN envelopes e ON e.seq = found.rowid`

/** Columns of the record of a row, which the lists compare. */
interface RecordColumns {
  readonly stamp: string | null
  readonly own: number
  readonly page: string | null
  readonly project: string
}

/** Compares the record of a row; it is read only for conditions that need it. */
export function recordMatcher(db: Database): (seq: number, part: ListFilter) => boolean {
  const read = db.prepare('SELECT stamp, own, page, project FROM envelopes WHERE seq = ?')
  return (seq, part) => {
    if (!RECORD_FIELDS.some((field) => part[field] !== undefined || startOf(part, field) !== undefined)) return true
    const row = read.get(seq) as RecordColumns | undefined
    return row !== undefined && isOwn(row, part) && hasFields(row, part, ['stamp', 'page', 'project'])
  }
}

const RECORD_FIELDS = ['stamp', 'own', 'page', 'project'] as const
const startOf = ({ starts }: ListFilter, field: (typeof RECORD_FIELDS)[number]): string | undefined =>
  field === 'own' ? undefined : starts?.[field]

export const isOwn = ({ own }: { readonly own: number }, part: ListFilter): boolean =>
  part.own === undefined || part.own === (own === 1)
