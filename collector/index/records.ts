import type { Database } from 'better-sqlite3'
import { prepareOnce } from '../spool/prepare'
import { ROWS_FROM } from '../spool/submission'
import { RECORD_COLUMNS, type SpoolRecord } from './walk-record'

/** A batch is one transaction: large enough to be quick, small enough that a reader's row is soon there. */
export const BATCH_ENVELOPES = 64
const BATCH_BYTES = 4 * 1024 * 1024

/** The next batch of what follows a number. */
export function recordsAfter(spool: Database, seq: number): readonly SpoolRecord[] {
  const sql = `SELECT ${RECORD_COLUMNS} FROM submissions WHERE seq > ? ORDER BY seq LIMIT ${BATCH_ENVELOPES}`
  return batchOf(prepareOnce(spool, sql).iterate(seq) as IterableIterator<SpoolRecord>)
}

/** The first batch of these, in their order; those that are gone are left out. */
export function recordsOf(spool: Database, seqs: readonly number[]): readonly SpoolRecord[] {
  const found = spool
    .prepare(`SELECT ${RECORD_COLUMNS} FROM submissions WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq`)
    .iterate(JSON.stringify(seqs.slice(0, BATCH_ENVELOPES))) as IterableIterator<SpoolRecord>
  return batchOf(found)
}

/** Are these all that one batch may hold? */
export const isWhole = (records: readonly SpoolRecord[]): boolean =>
  records.length >= BATCH_ENVELOPES || records.reduce((sum, { bytes }) => sum + bytes, 0) >= BATCH_BYTES

function batchOf(found: Iterable<SpoolRecord>): readonly SpoolRecord[] {
  const records: SpoolRecord[] = []
  let bytes = 0
  for (const record of found) {
    records.push(record)
    bytes += record.bytes
    if (bytes >= BATCH_BYTES) break
  }
  return records
}

/** Numbers of the records after one and up to another, read from an index: the bodies stay where they are. */
export const seqsBetween = (spool: Database, after: number, upTo: number): readonly number[] =>
  spool
    .prepare('SELECT seq FROM submissions WHERE +seq > ? AND +seq <= ? ORDER BY +seq')
    .pluck()
    .all(after, upTo) as number[]

/** The newest record that is kept; what was evicted behind it will never be digested. */
export const headOf = (spool: Database): number =>
  Number(prepareOnce(spool, 'SELECT max(seq) FROM submissions').pluck().get() ?? 0)

/** Rows of records up to this one were evicted, and are not made again. */
export const rowsFrom = (spool: Database): number =>
  Number(prepareOnce(spool, 'SELECT value FROM settings WHERE name = ?').pluck().get(ROWS_FROM) ?? 0)
