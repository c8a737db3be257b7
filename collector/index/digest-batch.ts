import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { faultPoint } from '../runtime/fault-point'
import { isWhole, recordsAfter, rowsFrom } from './records'
import { type SpoolRecord, walkRecord } from './walk-record'
import type { RowWriter } from './write'

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
  readonly passedOver: ReadonlySet<number>
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
  { db, writer, passedOver, stayAt }: BatchTarget,
  now: () => number,
  limits: ReadLimits,
): Batch {
  const last = records.at(-1)
  if (last === undefined) return { upTo: null, undigested: [], more: false }
  const undigested: { seq: number; reason: string }[] = []
  const wanted = records.filter(({ seq }) => !passedOver.has(seq))
  // Inside a transaction it is a savepoint. Made once: the library makes four functions of each that is given to it.
  const walk = db.transaction((record: SpoolRecord) => walkRecord(record, writer, now(), limits))
  try {
    db.transaction(() => {
      for (const record of wanted) {
        const reason = digestOne(record, walk, writer, now)
        if (reason !== null) undigested.push({ seq: record.seq, reason })
      }
      faultPoint('digest')
      writer.finish(stayAt ?? last.seq, stayAt === undefined ? wanted.length : 0)
    }).immediate()
  } catch (error) {
    writer.abandon()
    throw error
  }
  return { upTo: last.seq, undigested, more: isWhole(records) }
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
    writer.keepEnvelope()
    return null
  } catch (error) {
    writer.dropEnvelope()
    // A database that fails fails for every envelope: that is not this one's fault.
    if (isOfDatabase(error)) throw error
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
export const isOfDatabase = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^SQLITE_(?:FULL|IOERR|BUSY|LOCKED|CORRUPT|NOTADB|READONLY|CANTOPEN|NOMEM|PROTOCOL)/.test(error.code)
