import type { Database } from 'better-sqlite3'
import type { FileUse, Storage } from '../../../lib/wire/storage'
import type { WalState } from '../../runtime/checkpointer'
import { sizeOf } from '../../runtime/database'
import { isDamage, isMissingTable } from '../../runtime/sqlite-errors'
import { tableProblem } from '../schema'
import type { SpoolWriter } from '../writer'
import { BALLAST_BYTES, type Ballast } from './disk-budget'

/** The space that the spool uses, and how much was evicted. */
export type SpoolUsage = Pick<
  Storage,
  'records' | 'oldest' | 'pending' | 'deadLetters' | 'evicted' | 'next' | 'refused' | 'ballast'
> & {
  readonly spool: FileUse
  readonly log: WalState
  /** Pending records use their share of the cap: new submissions are stored but not pending. */
  readonly isBacklogFull: boolean
  /** The problem of the file itself, with the remedy; `null` if there is none. */
  readonly damage: string | null
  readonly copies: number
  /** Number of the newest record; 0 if there is none. */
  readonly newest: number
  readonly ranMs: number
}

/** In the writer thread: reads running sums and ends of indexes; the next eviction continues its last search. */
export function readUsage(parts: {
  readonly db: Database
  readonly path: string
  readonly writer: Pick<SpoolWriter, 'budget' | 'counters' | 'evictor' | 'time'>
  readonly log: WalState
  readonly ballast: Ballast
  readonly expiresAfterMs: number
  readonly isPendingLost: () => boolean
  readonly withRemedy: (problem: string) => string
}): SpoolUsage {
  const { db, path, writer, log, ballast } = parts
  const { budget, counters } = writer
  const unlessDamaged = <Value>(read: () => Value): Value | null => {
    try {
      return read()
    } catch (error) {
      // Usage is also read to report the damage.
      if (isDamage(error) || isMissingTable(error)) return null
      throw error
    }
  }
  const number = (sql: string): number | null =>
    unlessDamaged(() => (db.prepare(sql).pluck().get() ?? null) as number | null)
  const damage = tableProblem(db) ?? (parts.isPendingLost() ? LOST_PENDING : null)
  return {
    damage: damage === null ? null : parts.withRemedy(damage),
    spool: { used: budget.used, file: sizeOf(path), wal: sizeOf(`${path}-wal`) },
    log,
    records: budget.sums.records,
    oldest: number('SELECT received_at FROM submissions ORDER BY seq LIMIT 1'),
    pending: {
      records: budget.sums.pendingRecords,
      bytes: budget.sums.pendingBytes,
      cap: budget.pendingCap,
      oldest: number('SELECT received_at FROM submissions WHERE seq = (SELECT min(seq) FROM pending_deliveries)'),
    },
    deadLetters: { records: budget.sums.deadRecords, bytes: budget.sums.deadBytes },
    evicted: {
      records: counters.get('evicted_records'),
      bytes: counters.get('evicted_bytes'),
      byAge: counters.get('evicted_by_age'),
      rowsOnly: counters.get('rows_only'),
      expired: counters.get('expired'),
      deadLetters: counters.get('evicted_dead'),
    },
    next: unlessDamaged(() => writer.evictor.next(writer.time.ran, parts.expiresAfterMs)),
    isBacklogFull: budget.isBacklogFull,
    copies: counters.get('copies'),
    refused: number("SELECT sum(envelopes) FROM refusals WHERE reason IN ('full', 'backlog_full')") ?? 0,
    ballast: { bytes: BALLAST_BYTES, released: ballast.released },
    newest: number('SELECT max(seq) FROM submissions') ?? 0,
    ranMs: writer.time.ran,
  }
}

const LOST_PENDING = 'has lost rows of pending_deliveries: more items are counted as pending than its records have'
