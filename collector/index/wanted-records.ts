import type { Database } from 'better-sqlite3'
import type { ListPosition } from '../../lib/wire/list-position'
import type { ListFilter } from './list-filter'
import type { ReadBounds } from './list-page'
import { matching } from './terms-index'
import { recordMatchExpression, type TermsOf } from './terms-records'

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
