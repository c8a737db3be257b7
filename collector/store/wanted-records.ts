import type { Database } from 'better-sqlite3'
import { matchOf, type TermsOf } from './record-terms'
import type { Wanted } from './wanted'

export interface WantedRecord {
  readonly seq: number
  readonly journal: number
}

/**
 * The records that may tell of what is wanted, newest first: by number, by trace, else by terms. What they tell is for the caller to
 * compare.
 * @param journal records received after this fact are left out.
 * @param most so many of them.
 * @returns `null` where no index knows them.
 */
export function wantedRecords(
  db: Database,
  of: TermsOf,
  wanted: Wanted,
  journal: number,
  most: number,
): IterableIterator<WantedRecord> | null {
  const [sql, value] = howFound(of, wanted)
  if (value === null) return null
  const upTo = Number(db.prepare(NEWEST_UP_TO).pluck().get(journal) ?? 0)
  return db.prepare(sql).iterate({ value, upTo, most }) as IterableIterator<WantedRecord>
}

function howFound(of: TermsOf, wanted: Wanted): readonly [sql: string, value: string | number | null] {
  if (wanted.envelope !== undefined) return [BY_NUMBER, wanted.envelope]
  return wanted.trace === undefined ? [BY_TERMS, matchOf(of, wanted)] : [BY_TRACE, wanted.trace]
}

/** The newest record with items that was received up to a fact: numbers of records grow as the journal does. */
export const NEWEST_UP_TO = 'SELECT seq FROM items WHERE journal <= ? ORDER BY journal DESC LIMIT 1'
export const BY_NUMBER = 'SELECT seq, journal FROM envelopes WHERE seq = @value AND seq <= @upTo'
export const BY_TRACE = `SELECT seq, journal FROM trace_records WHERE trace_id = @value AND seq <= @upTo
  ORDER BY seq DESC LIMIT @most`
/** A bound that is not bound as an integer is none to FTS5, and larger numbers are bound as others. */
export const BY_TERMS = `SELECT e.seq AS seq, e.journal AS journal FROM
    (SELECT rowid FROM record_terms WHERE record_terms MATCH @value AND rowid <= CAST(@upTo AS INTEGER) ORDER BY rowid DESC LIMIT @most) found
  CROSS JOIN envelopes e ON e.seq = found.rowid`

/** The stamp of a record. */
export function stampOf(db: Database): (seq: number) => string | null {
  const read = db.prepare('SELECT stamp FROM envelopes WHERE seq = ?').pluck()
  return (seq) => (read.get(seq) ?? null) as string | null
}
