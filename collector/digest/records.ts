import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/items/signal'
import type { Door } from '../../lib/protocol/record'
import { inflate } from '../spool/record-body'
import { ROWS_FROM } from '../spool/submission'
import type { Rows } from '../store/rows'
import { digestEnvelope } from './digest-envelope'

/** A batch is one transaction: large enough to be quick, small enough that a reader's row is soon there. */
export const BATCH_ENVELOPES = 64
export const BATCH_BYTES = 4 * 1024 * 1024

/** A record as the spool keeps it. */
export interface SpoolRecord {
  readonly seq: number
  readonly journal: number
  readonly received_at: number
  readonly door: Door
  readonly stamp: string | null
  readonly bytes: number
  readonly deflated: number
  readonly body: Uint8Array
}

const COLUMNS = 'seq, journal, received_at, door, stamp, bytes, deflated, body'

/** The next batch of what follows a number. */
export function recordsAfter(spool: Database, seq: number): readonly SpoolRecord[] {
  const following = spool
    .prepare(`SELECT ${COLUMNS} FROM submissions WHERE seq > ? ORDER BY seq LIMIT ${BATCH_ENVELOPES}`)
    .iterate(seq) as IterableIterator<SpoolRecord>
  return batchOf(following)
}

/** The first batch of these, in their order; those that are gone are left out. */
export function recordsOf(spool: Database, seqs: readonly number[]): readonly SpoolRecord[] {
  const found = spool
    .prepare(`SELECT ${COLUMNS} FROM submissions WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq`)
    .iterate(JSON.stringify(seqs.slice(0, BATCH_ENVELOPES))) as IterableIterator<SpoolRecord>
  return batchOf(found)
}

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
  Number(spool.prepare('SELECT max(seq) FROM submissions').pluck().get() ?? 0)

/** Rows of records up to this one were evicted, and are not made again. */
export const rowsFrom = (spool: Database): number =>
  Number(spool.prepare('SELECT value FROM settings WHERE name = ?').pluck().get(ROWS_FROM) ?? 0)

/**
 * The one walk over a record, whether its rows are made or taken away.
 * @throws when the record frames as nothing, or its payload breaks a parser: a bug, for the door let it in.
 */
export function walkRecord(record: SpoolRecord, rows: Rows, digestedAt: number, limits: ReadLimits): void {
  const { seq, journal, received_at: receivedAt, door, stamp } = record
  const recorded = { seq, journal, receivedAt, door, stamp, copy: door === 'stream', body: inflate(record) }
  digestEnvelope(recorded, rows, digestedAt, limits)
}
