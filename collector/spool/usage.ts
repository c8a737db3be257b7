import type { Database } from 'better-sqlite3'
import type { FileUse, Storage } from '../../lib/wire/storage'
import type { Ballast } from './ballast'
import { BALLAST_BYTES } from './ballast'
import type { LogState } from './log-keeper'
import { sizeOf } from './size-of'
import type { SpoolWriter } from './writer'

/** What is used of the spool, and what had to go. */
export type SpoolUsage = Pick<
  Storage,
  'records' | 'oldest' | 'pending' | 'deadLetters' | 'evicted' | 'overflow' | 'refused' | 'ballast'
> & {
  readonly spool: FileUse
  readonly log: LogState
  /** The backlog has its share: what arrives is not pending. */
  readonly isOverflowing: boolean
  /** Of the records, those that came beside the path. */
  readonly copies: number
  /** Number of the newest record; 0 when there is none. */
  readonly newest: number
  /** How long the collector has been running, in all its lives. */
  readonly ranMs: number
}

/** Reads it all from running sums and the ends of an index: nothing is scanned. */
export function readUsage(parts: {
  readonly db: Database
  readonly path: string
  readonly writer: SpoolWriter
  readonly log: LogState
  readonly ballast: Ballast
}): SpoolUsage {
  const { db, path, writer, log, ballast } = parts
  const { room, counters } = writer
  const number = (sql: string): number | null => (db.prepare(sql).pluck().get() ?? null) as number | null
  return {
    spool: { used: room.used, file: sizeOf(path), wal: sizeOf(`${path}-wal`) },
    log,
    records: room.sums.records,
    oldest: number('SELECT received_at FROM submissions ORDER BY seq LIMIT 1'),
    pending: {
      records: room.sums.pendingRecords,
      bytes: room.sums.pendingBytes,
      cap: room.pendingCap,
      oldest: number('SELECT received_at FROM submissions WHERE seq = (SELECT min(seq) FROM pending_deliveries)'),
    },
    deadLetters: { records: room.sums.deadRecords, bytes: room.sums.deadBytes },
    evicted: {
      records: counters.get('evicted_records'),
      bytes: counters.get('evicted_bytes'),
      rowsOnly: counters.get('rows_only'),
      expired: counters.get('expired'),
      deadLetters: counters.get('evicted_dead'),
    },
    isOverflowing: room.isOverflowing,
    copies: counters.get('copies'),
    overflow: counters.get('overflow'),
    refused: number("SELECT envelopes FROM refusals WHERE reason = 'full'") ?? 0,
    ballast: { bytes: BALLAST_BYTES, released: ballast.released },
    newest: number('SELECT max(seq) FROM submissions') ?? 0,
    ranMs: writer.time.ran,
  }
}
