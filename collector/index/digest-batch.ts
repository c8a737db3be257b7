import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { faultPoint } from '../runtime/fault-point'
import { prepareOnce } from '../spool/database'
import { ROWS_FROM } from '../spool/submission'
import { RECORD_COLUMNS, type SpoolRecord, traverseRecord } from './traverse-record'
import type { RowEraser, RowWriter } from './write-rows'

export interface Batch {
  /** `null` when there was nothing to do. */
  readonly upTo: number | null
  readonly undigested: readonly { readonly seq: number; readonly reason: string }[]
  /** It ended where a batch ends, and not where the record does. */
  readonly more: boolean
}

/** What is written: the rows' file, by its writer, but for records that are about to go. */
export interface BatchTarget {
  readonly db: Database
  readonly writer: RowWriter
  /** Numbers of records that make no rows any more. */
  readonly skipped: ReadonlySet<number>
  /** Where the cursor stays, for records that it has passed already. */
  readonly stayAt?: number
}

/** The batch that follows the target's cursor; rows that were evicted are not made again. */
export const nextRecords = (spool: Database, cursor: number): readonly SpoolRecord[] =>
  recordsAfter(spool, Math.max(cursor, rowsFrom(spool)))

/**
 * Digests a batch, a savepoint per envelope: one that throws is kept, relayed, marked `undigested`, and never stops the
 * next. The cursor moves in the same transaction as the rows that it covers.
 */
export function digestBatch(
  records: readonly SpoolRecord[],
  { db, writer, skipped, stayAt }: BatchTarget,
  now: () => number,
  limits: ReadLimits,
): Batch {
  const last = records.at(-1)
  if (last === undefined) return { upTo: null, undigested: [], more: false }
  const undigested: { seq: number; reason: string }[] = []
  const filter = records.filter(({ seq }) => !skipped.has(seq))
  // Inside a transaction it is a savepoint. Made once: the library makes four functions of each that is given to it.
  const walk = db.transaction((record: SpoolRecord) => traverseRecord(record, writer, now(), limits))
  try {
    db.transaction(() => {
      for (const record of filter) {
        const reason = digestOne(record, walk, writer, now)
        if (reason !== null) undigested.push({ seq: record.seq, reason })
      }
      faultPoint('digest')
      writer.finish(stayAt ?? last.seq, stayAt === undefined ? filter.length : 0)
    }).immediate()
  } catch (error) {
    writer.rollbackBatch()
    throw error
  }
  return { upTo: last.seq, undigested, more: isFullBatch(records) }
}

/** @returns why the record stays undigested, `null` when it does not. */
function digestOne(
  record: SpoolRecord,
  walk: (record: SpoolRecord) => void,
  writer: RowWriter,
  now: () => number,
): string | null {
  try {
    walk(record)
    writer.commitEnvelope()
    return null
  } catch (error) {
    writer.rollbackEnvelope()
    // A database that fails fails for every envelope: that is not this one's fault.
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

/** Full, locked, damaged or unreadable. Anything else is about the values, and would be met again for ever. */
const isDatabaseFailure = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^SQLITE_(?:FULL|IOERR|BUSY|LOCKED|CORRUPT|NOTADB|READONLY|CANTOPEN|NOMEM|PROTOCOL)/.test(error.code)

/** A record that was digested and cannot be read any more: which of its rows are its own, nobody can tell. */
export type OnLost = (record: SpoolRecord, why: Error) => void

/**
 * Takes away the rows of some records, in one transaction. A record that could not be digested has only its own row;
 * walking it ends as it ended then.
 * @param seqs of the batch; a record that is not in the spool any more has no walk.
 * @param onLost called before the transaction ends, which rolls back when it throws. The rows that others may tell of too
 * stay behind: they have to be made anew.
 */
export function eraseBatch(
  seqs: readonly number[],
  records: readonly SpoolRecord[],
  { db, eraser }: { readonly db: Database; readonly eraser: RowEraser },
  limits: ReadLimits,
  onLost: OnLost,
): void {
  const isDigested = db.prepare("SELECT 1 FROM envelopes WHERE seq = ? AND state = 'digested'")
  const walk = db.transaction((record: SpoolRecord) => traverseRecord(record, eraser, 0, limits))
  try {
    db.transaction(() => {
      for (const record of records) {
        if (isDigested.get(record.seq) === undefined) continue
        try {
          walk(record)
          eraser.commitEnvelope()
        } catch (error) {
          eraser.rollbackEnvelope()
          if (!(error instanceof Error) || isDatabaseFailure(error)) throw error
          onLost(record, error)
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

/** A batch is one transaction: large enough to be quick, small enough that a reader's row is soon there. */
export const BATCH_ENVELOPES = 64
const BATCH_BYTES = 4 * 1024 * 1024

/** The next batch of what follows a number. */
function recordsAfter(spool: Database, seq: number): readonly SpoolRecord[] {
  const sql = `SELECT ${RECORD_COLUMNS} FROM submissions WHERE seq > ? ORDER BY seq LIMIT ${BATCH_ENVELOPES}`
  return batchOf(prepareOnce(spool, sql).iterate(seq) as IterableIterator<SpoolRecord>)
}

/** The first batch of these, in their order; those that are gone are left out. */
export function recordsBySeq(spool: Database, seqs: readonly number[]): readonly SpoolRecord[] {
  const found = spool
    .prepare(`SELECT ${RECORD_COLUMNS} FROM submissions WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq`)
    .iterate(JSON.stringify(seqs.slice(0, BATCH_ENVELOPES))) as IterableIterator<SpoolRecord>
  return batchOf(found)
}

/** Are these all that one batch may hold? */
const isFullBatch = (records: readonly SpoolRecord[]): boolean =>
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
