import type { Database } from 'better-sqlite3'
import type { Endpoint } from '../../../lib/protocol/record'
import type { SubmissionContent } from '../../../lib/protocol/submission'
import { prepareOnce } from '../../runtime/database'
import { isDamage } from '../../runtime/sqlite-errors'
import { type CheckedRow, readBody } from '../record-body'
import { contentFrom, type StoredContent } from '../stored-content'
import { ROWS_FROM } from '../submission'

/** A batch of the digest: large enough to be fast, small enough that readers see new rows soon. */
export const BATCH_ENVELOPES = 64
const BATCH_BYTES = 4 * 1024 * 1024

export interface SubmissionRow {
  readonly seq: number
  readonly journal: number
  readonly received_at: number
  readonly endpoint: Endpoint
  readonly stamp: string | null
  readonly project: string
  /** The page header of its sender; `null` without one. */
  readonly page: string | null
  /** 1 when Waystation's own app sent it, the lab excepted. */
  readonly own: number
  /** Of a request of OpenTelemetry; `null` for every other record. */
  readonly content_type: string | null
  /** Of a check-in: the address that names its monitor; `null` for every other record. */
  readonly target: string | null
  readonly bytes: number
  readonly deflated: number
  readonly body: Uint8Array
  readonly facts: string
  readonly quantities: string
  readonly checksum: number | null
}

/** 1 for a body that Waystation's own app sent, the lab excepted. Damage may have changed the facts; AND evaluates both sides. */
export const IS_OWN = `CASE WHEN json_valid(facts) THEN coalesce(facts ->> 'own', 0) = 1 AND coalesce(facts ->> 'lab', 0) = 0 ELSE 0 END`

/** The page header of the sender. */
export const PAGE_OF = `CASE WHEN json_valid(facts) THEN facts ->> 'page' END`

export const RECORD_COLUMNS = `seq, journal, received_at, endpoint, stamp, project, bytes, deflated, body, facts, quantities, checksum,
  ${IS_OWN} AS own, ${PAGE_OF} AS page,
  CASE WHEN endpoint LIKE 'otlp%' AND json_valid(facts) THEN facts ->> 'contentType' END AS content_type,
  CASE WHEN endpoint = 'cron' AND json_valid(facts) THEN facts ->> 'target' END AS target`

/** @returns `null` when the record was evicted. */
export function readSubmissionRow(db: Database, seq: number): SubmissionRow | null {
  const row = prepareOnce(db, `SELECT ${RECORD_COLUMNS} FROM submissions WHERE seq = ?`).get(seq)
  return (row as SubmissionRow | undefined) ?? null
}

export function readRecord(db: Database, seq: number): SubmissionContent | null {
  const sql = `SELECT received_at AS receivedAt, endpoint, receipt, stamp, facts, quantities, bytes, deflated, body,
    checksum FROM submissions WHERE seq = ?`
  const row = prepareOnce(db, sql).get(seq) as (StoredContent & CheckedRow) | undefined
  return row === undefined ? null : contentFrom({ ...row, body: readBody(row) })
}

/** The batch after the cursor. Records whose rows were evicted are left out, and those on damaged pages. */
export function nextSubmissions(spool: Database, cursor: number): readonly SubmissionRow[] {
  const sql = `SELECT ${RECORD_COLUMNS} FROM submissions WHERE seq > ? ORDER BY seq LIMIT ${BATCH_ENVELOPES}`
  const after = Math.max(cursor, rowsFrom(spool))
  try {
    return firstBatch(prepareOnce(spool, sql).iterate(after) as IterableIterator<SubmissionRow>)
  } catch (error) {
    if (!isDamage(error)) throw error
    return readableRecords(spool, numbersBetween(after, lastNumber(spool)))
  }
}

/** The first batch of these records in order; records that are gone or on damaged pages are left out. */
export function submissionsBySeq(spool: Database, seqs: readonly number[]): readonly SubmissionRow[] {
  const first = seqs.slice(0, BATCH_ENVELOPES)
  try {
    const found = spool
      .prepare(`SELECT ${RECORD_COLUMNS} FROM submissions WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq`)
      .iterate(JSON.stringify(first)) as IterableIterator<SubmissionRow>
    return firstBatch(found)
  } catch (error) {
    if (!isDamage(error)) throw error
    return readableRecords(spool, first)
  }
}

/** Reads each record alone, because a scan ends at the first damaged page. */
function readableRecords(spool: Database, seqs: Iterable<number>): readonly SubmissionRow[] {
  const one = prepareOnce(spool, `SELECT ${RECORD_COLUMNS} FROM submissions WHERE seq = ?`)
  function* readable(): Generator<SubmissionRow> {
    for (const seq of seqs) {
      const record = recordUnlessDamaged(() => one.get(seq) as SubmissionRow | undefined)
      if (record !== undefined) yield record
    }
  }
  return firstBatch(readable())
}

function recordUnlessDamaged(read: () => SubmissionRow | undefined): SubmissionRow | undefined {
  try {
    return read()
  } catch (error) {
    if (!isDamage(error)) throw error
    return undefined
  }
}

function* numbersBetween(after: number, upTo: number): Generator<number> {
  for (let seq = after + 1; seq <= upTo; seq += 1) yield seq
}

/** The highest number that was ever given, also when the page of that record is damaged. */
export const lastNumber = (spool: Database): number =>
  Number(prepareOnce(spool, "SELECT seq FROM sqlite_sequence WHERE name = 'submissions'").pluck().get() ?? 0)

function firstBatch(found: Iterable<SubmissionRow>): readonly SubmissionRow[] {
  const records: SubmissionRow[] = []
  let bytes = 0
  for (const record of found) {
    records.push(record)
    bytes += record.bytes
    if (bytes >= BATCH_BYTES || records.length >= BATCH_ENVELOPES) break
  }
  return records
}

export const isFullBatch = (records: readonly SubmissionRow[]): boolean =>
  records.length >= BATCH_ENVELOPES || records.reduce((sum, { bytes }) => sum + bytes, 0) >= BATCH_BYTES

/** The unary `+` makes SQLite use an index instead of the bodies' pages. */
export const seqsBetween = (spool: Database, after: number, upTo: number): readonly number[] =>
  spool
    .prepare('SELECT seq FROM submissions WHERE +seq > ? AND +seq <= ? ORDER BY +seq')
    .pluck()
    .all(after, upTo) as number[]

export function headOf(spool: Database): number {
  try {
    return Number(prepareOnce(spool, 'SELECT max(seq) FROM submissions').pluck().get() ?? 0)
  } catch (error) {
    if (!isDamage(error)) throw error
    return lastNumber(spool)
  }
}

/** Rows of records up to this one were evicted and are not created again. */
export const rowsFrom = (spool: Database): number =>
  Number(prepareOnce(spool, 'SELECT value FROM settings WHERE name = ?').pluck().get(ROWS_FROM) ?? 0)

const USER_AGENT = "SELECT CASE WHEN json_valid(facts) THEN facts ->> 'userAgent' END FROM submissions WHERE seq = ?"

/** The user agent of the request that sent a record; `null` when it named none, or the record is gone. */
export const readUserAgent = (db: Database, seq: number): string | null =>
  (prepareOnce(db, USER_AGENT).pluck().get(seq) ?? null) as string | null
