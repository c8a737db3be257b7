import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/items/signal'
import type { Door } from '../../lib/protocol/record'
import { faultPoint } from '../fault-point'
import { inflate } from '../spool/record-body'
import type { RowWriter } from '../store/write'
import { digestEnvelope } from './digest-envelope'

/** A batch is one transaction: large enough to be quick, small enough that a reader's row is soon there. */
export const BATCH_ENVELOPES = 64
export const BATCH_BYTES = 4 * 1024 * 1024

interface SubmissionRow {
  readonly seq: number
  readonly journal: number
  readonly received_at: number
  readonly door: Door
  readonly stamp: string | null
  readonly bytes: number
  readonly deflated: number
  readonly body: Uint8Array
}

export interface Batch {
  /** `null` when there was nothing to do. */
  readonly upTo: number | null
  readonly undigested: readonly { readonly seq: number; readonly reason: string }[]
}

/**
 * Digests what follows the cursor, a savepoint per envelope: one that throws is kept, relayed, marked `undigested`, and
 * never stops the next. The cursor moves in the same transaction as the rows that it covers.
 */
export function digestBatch(
  spool: Database,
  store: Database,
  rows: RowWriter,
  now: () => number,
  limits: ReadLimits,
): Batch {
  const cursor = Number(store.prepare('SELECT seq FROM cursor').pluck().get())
  const records = take(spool, cursor)
  const last = records.at(-1)
  if (last === undefined) return { upTo: null, undigested: [] }
  const undigested: { seq: number; reason: string }[] = []
  try {
    store
      .transaction(() => {
        for (const record of records) {
          const reason = digestOne(store, rows, record, now, limits)
          if (reason !== null) undigested.push({ seq: record.seq, reason })
        }
        faultPoint('digest')
        rows.finish(last.seq)
      })
      .immediate()
  } catch (error) {
    rows.abandon()
    throw error
  }
  return { upTo: last.seq, undigested }
}

function take(spool: Database, cursor: number): SubmissionRow[] {
  const records: SubmissionRow[] = []
  let bytes = 0
  const following = spool
    .prepare(
      `SELECT seq, journal, received_at, door, stamp, bytes, deflated, body FROM submissions
       WHERE seq > ? ORDER BY seq LIMIT ${BATCH_ENVELOPES}`,
    )
    .iterate(cursor) as IterableIterator<SubmissionRow>
  for (const record of following) {
    records.push(record)
    bytes += record.bytes
    if (bytes >= BATCH_BYTES) break
  }
  return records
}

function digestOne(
  store: Database,
  rows: RowWriter,
  record: SubmissionRow,
  now: () => number,
  limits: ReadLimits,
): string | null {
  const copy = record.door === 'stream'
  const source = { seq: record.seq, journal: record.journal, copy, stamp: record.stamp }
  try {
    store.transaction(() =>
      digestEnvelope(
        { ...source, door: record.door, receivedAt: record.received_at, body: inflate(record) },
        rows,
        now(),
        limits,
      ),
    )()
    rows.keepEnvelope()
    return null
  } catch (error) {
    rows.dropEnvelope()
    rows.envelope({
      ...source,
      digestedAt: now(),
      state: 'undigested',
      eventId: null,
      traceId: null,
      sdk: null,
      environment: null,
    })
    return error instanceof Error ? error.message : String(error)
  }
}
