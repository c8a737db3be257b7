import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { prepareOnce } from '../runtime/database'
import { faultPoint } from '../runtime/fault-point'
import { isDamage, isMissingTable } from '../runtime/sqlite-errors'
import { ROWS_FROM } from '../spool/submission'
import type { RowEraser, RowWriter } from './rows/write-rows'
import { RECORD_COLUMNS, type SpoolRecord, traverseRecord } from './traverse-record'

/** A batch is one transaction: large enough to be fast, small enough that readers see new rows soon. */
export const BATCH_ENVELOPES = 64
const BATCH_BYTES = 4 * 1024 * 1024

export interface Batch {
  /** `null` when there was nothing to do. */
  readonly upTo: number | null
  readonly undigested: readonly { readonly seq: number; readonly reason: string }[]
  /** True when the batch was full, so that more records may follow. */
  readonly more: boolean
}

interface BatchTarget {
  readonly db: Database
  readonly writer: RowWriter
  /** Sequence numbers of records that are about to be evicted and get no rows. */
  readonly skipped: ReadonlySet<number>
  readonly stayAt?: number
}

/** One savepoint per envelope: one that throws is marked `undigested` and is relayed all the same. */
export function digestBatch(
  records: readonly SpoolRecord[],
  { db, writer, skipped, stayAt }: BatchTarget,
  now: () => number,
  sizeLimits: ReadLimits,
): Batch {
  const last = records.at(-1)
  if (last === undefined) return { upTo: null, undigested: [], more: false }
  const undigested: { seq: number; reason: string }[] = []
  const kept = records.filter(({ seq }) => !skipped.has(seq))
  // A nested transaction is a savepoint. Created once per batch: better-sqlite3 creates four functions for each.
  const traverse = db.transaction((record: SpoolRecord) => traverseRecord(record, writer, now(), sizeLimits))
  try {
    db.transaction(() => {
      for (const record of kept) {
        const reason = digestOne(record, traverse, writer, now)
        if (reason !== null) undigested.push({ seq: record.seq, reason })
      }
      faultPoint('digest')
      writer.finish(stayAt ?? last.seq, stayAt === undefined ? kept.length : 0)
    }).immediate()
  } catch (error) {
    writer.rollbackBatch()
    throw error
  }
  return { upTo: last.seq, undigested, more: isFullBatch(records) }
}

/** @returns the reason why the record stays undigested; `null` when it was digested. */
function digestOne(
  record: SpoolRecord,
  traverse: (record: SpoolRecord) => void,
  writer: RowWriter,
  now: () => number,
): string | null {
  try {
    traverse(record)
    writer.commitEnvelope()
    return null
  } catch (error) {
    writer.rollbackEnvelope()
    if (isDatabaseFailure(error)) throw error
    writer.envelope({
      seq: record.seq,
      journal: record.journal,
      receivedAt: record.received_at,
      endpoint: record.endpoint,
      copy: record.endpoint === 'stream',
      stamp: record.stamp,
      digestedAt: now(),
      state: 'undigested',
      eventId: null,
      traceId: null,
      traceOfHeader: false,
      sdk: null,
      environment: null,
    })
    return error instanceof Error ? error.message : String(error)
  }
}

/** Called for a record that can no longer be read, so that its rows are unknown. May throw to roll the batch back. */
export type OnUnreadable = (record: SpoolRecord, why: Error) => void

/**
 * Erases the rows of some records in one transaction; `seqs` may include records that the spool no longer has.
 * @param onUnreadable when it returns, rows that other records may share stay: the index has to be rebuilt.
 */
export function eraseBatch(
  seqs: readonly number[],
  records: readonly SpoolRecord[],
  { db, eraser }: { readonly db: Database; readonly eraser: RowEraser },
  sizeLimits: ReadLimits,
  onUnreadable: OnUnreadable,
): void {
  const isDigested = db.prepare("SELECT 1 FROM envelopes WHERE seq = ? AND state = 'digested'")
  const traverse = db.transaction((record: SpoolRecord) => traverseRecord(record, eraser, 0, sizeLimits))
  try {
    db.transaction(() => {
      for (const record of records) {
        if (isDigested.get(record.seq) === undefined) continue
        try {
          traverse(record)
          eraser.commitEnvelope()
        } catch (error) {
          eraser.rollbackEnvelope()
          if (!(error instanceof Error) || isDatabaseFailure(error)) throw error
          onUnreadable(record, error)
        }
      }
      for (const seq of seqs) eraser.record(seq)
      eraser.finish()
    }).immediate()
  } catch (error) {
    eraser.rollbackBatch()
    throw error
  }
}

/** True when every envelope would fail (full, locked, damaged). Other SQLite errors are about one envelope's values. */
const isDatabaseFailure = (error: unknown): boolean =>
  isMissingTable(error) ||
  (error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    /^SQLITE_(?:FULL|IOERR|BUSY|LOCKED|CORRUPT|NOTADB|READONLY|CANTOPEN|NOMEM|PROTOCOL)/.test(error.code))

/** The batch after the cursor. Records whose rows were evicted are left out, and those on damaged pages. */
export function nextRecords(spool: Database, cursor: number): readonly SpoolRecord[] {
  const sql = `SELECT ${RECORD_COLUMNS} FROM submissions WHERE seq > ? ORDER BY seq LIMIT ${BATCH_ENVELOPES}`
  const after = Math.max(cursor, rowsFrom(spool))
  try {
    return firstBatch(prepareOnce(spool, sql).iterate(after) as IterableIterator<SpoolRecord>)
  } catch (error) {
    if (!isDamage(error)) throw error
    return readableRecords(spool, numbersBetween(after, lastNumber(spool)))
  }
}

/** The first batch of these records in order; records that are gone or on damaged pages are left out. */
export function recordsBySeq(spool: Database, seqs: readonly number[]): readonly SpoolRecord[] {
  const first = seqs.slice(0, BATCH_ENVELOPES)
  try {
    const found = spool
      .prepare(`SELECT ${RECORD_COLUMNS} FROM submissions WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq`)
      .iterate(JSON.stringify(first)) as IterableIterator<SpoolRecord>
    return firstBatch(found)
  } catch (error) {
    if (!isDamage(error)) throw error
    return readableRecords(spool, first)
  }
}

/** Reads each record alone, because a scan ends at the first damaged page. */
function readableRecords(spool: Database, seqs: Iterable<number>): readonly SpoolRecord[] {
  const one = prepareOnce(spool, `SELECT ${RECORD_COLUMNS} FROM submissions WHERE seq = ?`)
  function* readable(): Generator<SpoolRecord> {
    for (const seq of seqs) {
      const record = recordUnlessDamaged(() => one.get(seq) as SpoolRecord | undefined)
      if (record !== undefined) yield record
    }
  }
  return firstBatch(readable())
}

function recordUnlessDamaged(read: () => SpoolRecord | undefined): SpoolRecord | undefined {
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
const lastNumber = (spool: Database): number =>
  Number(prepareOnce(spool, "SELECT seq FROM sqlite_sequence WHERE name = 'submissions'").pluck().get() ?? 0)

function firstBatch(found: Iterable<SpoolRecord>): readonly SpoolRecord[] {
  const records: SpoolRecord[] = []
  let bytes = 0
  for (const record of found) {
    records.push(record)
    bytes += record.bytes
    if (bytes >= BATCH_BYTES || records.length >= BATCH_ENVELOPES) break
  }
  return records
}

const isFullBatch = (records: readonly SpoolRecord[]): boolean =>
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
