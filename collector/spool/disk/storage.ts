import type { Database } from 'better-sqlite3'
import { formatMebibytes } from '../../../lib/format'
import type { FileUse, Storage } from '../../../lib/wire/storage'
import type { WalState } from '../../runtime/checkpointer'
import { sizeOf } from '../../runtime/database'
import { isDamage, isMissingTable, salvageCommand } from '../../runtime/sqlite-errors'
import type { PlainError } from '../../runtime/thread-call'
import { tableProblem } from '../schema'
import type { Spool } from '../spool'
import type { SpoolWriter } from '../writer'
import type { DiskBudgetKeeper } from './budget-keeper'
import { BALLAST_BYTES, type Ballast, LOG_ALLOWANCE_BYTES } from './disk-budget'

/** A log that a reader holds is a problem from this size on, before intake has to refuse. */
const LARGE_LOG_BYTES = LOG_ALLOWANCE_BYTES / 2

/** The space that the spool uses, and how much was evicted. */
export type SpoolUsage = Pick<
  Storage,
  'records' | 'oldest' | 'pending' | 'deadLetters' | 'evicted' | 'refused' | 'ballast'
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

/** In the writer thread: reads running sums and ends of indexes; it scans nothing. */
export function readUsage(parts: {
  readonly db: Database
  readonly path: string
  readonly writer: SpoolWriter
  readonly log: WalState
  readonly ballast: Ballast
  readonly isPendingLost: () => boolean
  readonly withRemedy: (problem: string) => string
}): SpoolUsage {
  const { db, path, writer, log, ballast } = parts
  const { budget, counters } = writer
  const number = (sql: string): number | null => {
    try {
      return (db.prepare(sql).pluck().get() ?? null) as number | null
    } catch (error) {
      // Usage is also read to report the damage.
      if (isDamage(error) || isMissingTable(error)) return null
      throw error
    }
  }
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
    isBacklogFull: budget.isBacklogFull,
    copies: counters.get('copies'),
    refused: number("SELECT sum(envelopes) FROM refusals WHERE reason IN ('full', 'backlog_full')") ?? 0,
    ballast: { bytes: BALLAST_BYTES, released: ballast.released },
    newest: number('SELECT max(seq) FROM submissions') ?? 0,
    ranMs: writer.time.ran,
  }
}

const LOST_PENDING = 'has lost rows of pending_deliveries: more items are counted as pending than its records have'
interface StorageStatus {
  /** `GET /query/storage`. */
  readonly storage: () => Promise<Storage>
  /** For `/health/ready`: why the collector is not ready; empty if it is. */
  readonly notReady: () => Promise<readonly string[]>
}

export function createStorageStatus(parts: {
  readonly spool: Pick<Spool, 'usage'>
  readonly rows: {
    readonly usage: () => FileUse
    readonly stuck: () => PlainError | null
    readonly progress: () => Storage['rebuild']
  }
  readonly keeper: Pick<DiskBudgetKeeper, 'isFull' | 'isEvicting' | 'isDiskFull'>
  readonly cap: number
  readonly maxAgeMs: number | null
  readonly folder: string
  /** Whether a query met a damaged page of spool.db. */
  readonly isSpoolDamaged: () => boolean
  readonly now: () => number
}): StorageStatus {
  const { spool, rows, keeper, cap, folder } = parts
  const read = async (): Promise<Reading> => ({
    usage: await spool.usage(),
    rows: rows.usage(),
    stuck: rows.stuck(),
    isFull: keeper.isFull,
    isDiskFull: keeper.isDiskFull,
    isSpoolDamaged: parts.isSpoolDamaged(),
    cap,
    folder,
  })
  return {
    storage: async () => {
      const reading = await read()
      const { usage } = reading
      return {
        now: parts.now(),
        cap,
        maxAgeMs: parts.maxAgeMs,
        used: usage.spool.used + reading.rows.used,
        spool: usage.spool,
        rows: reading.rows,
        records: usage.records,
        oldest: usage.oldest,
        pending: usage.pending,
        deadLetters: usage.deadLetters,
        evicted: usage.evicted,
        refused: usage.refused,
        state: stateOf(reading, keeper.isEvicting),
        trouble: problemsOf(reading).join('. ') || null,
        ballast: usage.ballast,
        rebuild: rows.progress(),
      }
    },
    notReady: async () => {
      const reading = await read()
      return [...problemsOf(reading), ...(reading.usage.isBacklogFull ? [backlogProblem(reading.usage)] : [])]
    },
  }
}

interface Reading {
  readonly usage: SpoolUsage
  readonly rows: FileUse
  readonly cap: number
  readonly stuck: PlainError | null
  readonly isFull: boolean
  readonly isDiskFull: boolean
  readonly isSpoolDamaged: boolean
  readonly folder: string
}

/** Each problem in one sentence with what to do about it. */
function problemsOf({
  usage,
  rows,
  cap,
  stuck,
  isFull,
  isDiskFull,
  isSpoolDamaged,
  folder,
}: Reading): readonly string[] {
  const { log } = usage
  const problems: string[] = []
  if (usage.damage !== null) problems.push(usage.damage)
  if (isSpoolDamaged)
    problems.push(
      `${folder}/spool.db has damaged pages: records on them are not shown, and end as damaged_record when they were pending; the others are relayed; stop, run ${salvageCommand(folder)}, and start with the new folder`,
    )
  if (isDiskFull)
    problems.push(
      `the disk that holds ${folder} is full: ${formatMebibytes(usage.spool.used + rows.used)} are stored, and the oldest settled records are evicted for new ones; free space on the disk, or set WAYSTATION_DATA to another folder`,
    )
  if (log.blockedSince !== null && log.log >= LARGE_LOG_BYTES)
    problems.push(
      `another program has been reading spool.db since ${clockTime(log.blockedSince)}, so its log has grown to ${formatMebibytes(log.log)}: end that program (lsof ${folder}/spool.db names it)`,
    )
  if (rows.wal >= LARGE_LOG_BYTES)
    problems.push(
      `another program reads telemetry.db, so its log has grown to ${formatMebibytes(rows.wal)}: end that program (lsof ${folder}/telemetry.db names it)`,
    )
  if (log.failed !== null) problems.push(`the log of spool.db cannot be checkpointed: ${log.failed}`)
  if (stuck !== null)
    problems.push(`the digest cannot write its rows: ${stuck.message}; received envelopes are stored all the same`)
  if (isFull)
    problems.push(
      `the cap of ${formatMebibytes(cap)} is reached and nothing may be evicted, so envelopes are refused with 503: make the upstream reachable, raise WAYSTATION_MAX_DISK, or clear pending envelopes`,
    )
  return problems
}

/** The worst state that applies. */
function stateOf({ isFull, usage }: Reading, isEvicting: boolean): Storage['state'] {
  if (isFull) return 'full'
  if (usage.isBacklogFull) return 'backlog_full'
  return isEvicting ? 'evicting' : 'ok'
}

const backlogProblem = ({ pending }: SpoolUsage): string =>
  `pending envelopes use their share of the disk (${formatMebibytes(pending.bytes)} of ${formatMebibytes(pending.cap)}): new ones are refused with 503; make the upstream reachable, or raise WAYSTATION_MAX_DISK`

const clockTime = (ms: number): string => new Date(ms).toISOString().slice(11, 19)
