import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { faultPoint } from '../runtime/fault-point'
import { isMissingTable } from '../runtime/sqlite-errors'
import { isFullBatch, type SubmissionRow } from '../spool/local'
import type { RowWriter } from './rows/write-rows'
import { traverseRecord } from './traverse-record'

export interface Batch {
  /** `null` when there was nothing to do. */
  readonly upTo: number | null
  readonly undigested: readonly { readonly seq: number; readonly reason: string }[]
  /** The traces to which the batch added something; `null` when they are more than `MAX_NAMED_TRACES`. */
  readonly traces: readonly string[] | null
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
  records: readonly SubmissionRow[],
  { db, writer, skipped, stayAt }: BatchTarget,
  now: () => number,
  sizeLimits: ReadLimits,
): Batch {
  const last = records.at(-1)
  if (last === undefined) return { upTo: null, undigested: [], traces: [], more: false }
  const undigested: { seq: number; reason: string }[] = []
  let traces: readonly string[] | null = []
  const kept = records.filter(({ seq }) => !skipped.has(seq))
  // A nested transaction is a savepoint. Created once per batch: better-sqlite3 creates four functions for each.
  const traverse = db.transaction((record: SubmissionRow) => traverseRecord(record, writer, now(), sizeLimits))
  try {
    db.transaction(() => {
      for (const record of kept) {
        const reason = digestOne(record, traverse, writer, now)
        if (reason !== null) undigested.push({ seq: record.seq, reason })
      }
      faultPoint('digest')
      traces = writer.touchedTraces()
      writer.finish(stayAt ?? last.seq, stayAt === undefined ? kept.length : 0)
    }).immediate()
  } catch (error) {
    writer.rollbackBatch()
    throw error
  }
  return { upTo: last.seq, undigested, traces, more: isFullBatch(records) }
}

/** @returns the reason why the record stays undigested; `null` when it was digested. */
function digestOne(
  record: SubmissionRow,
  traverse: (record: SubmissionRow) => void,
  writer: RowWriter,
  now: () => number,
): string | null {
  writer.beginRecord(record)
  try {
    traverse(record)
    writer.commitEnvelope()
    return null
  } catch (error) {
    writer.rollbackEnvelope()
    if (isDatabaseFailure(error)) throw error
    const row = {
      seq: record.seq,
      journal: record.journal,
      receivedAt: record.received_at,
      endpoint: record.endpoint,
      copy: record.endpoint === 'stream',
      stamp: record.stamp,
      digestedAt: now(),
      state: 'undigested' as const,
      eventId: null,
      traceId: null,
      traceOfHeader: false,
      sdk: null,
      environment: null,
    }
    writer.envelope(row, {})
    return error instanceof Error ? error.message : String(error)
  }
}

/** Erases the rows of some records in one transaction. Numbers of records without rows are allowed. */
export function eraseBatch(seqs: readonly number[], { db, writer }: Pick<BatchTarget, 'db' | 'writer'>): void {
  try {
    db.transaction(() => writer.erase(seqs)).immediate()
  } catch (error) {
    writer.rollbackBatch()
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
