import { formatMebibytes } from '../../../lib/format'
import type { FileUse, Storage } from '../../../lib/wire/storage'
import { salvageCommand } from '../../runtime/sqlite-errors'
import type { PlainError } from '../../runtime/thread-call'
import type { WriterCalls } from '../writer-methods'
import type { DiskBudgetKeeper } from './budget-keeper'
import { LOG_ALLOWANCE_BYTES } from './disk-budget'
import type { RowsOfRecords } from './eviction'
import type { SpoolUsage } from './usage'

/** A log that a reader holds is a problem from this size on, before intake has to refuse. */
const LARGE_LOG_BYTES = LOG_ALLOWANCE_BYTES / 2

/** The index, as the record needs it. */
export interface IndexedRows extends RowsOfRecords {
  /** `null` while the index is not rebuilt. */
  readonly progress: () => Storage['rebuild']
  /** Records were added before others that have rows. Resolves when they have rows. */
  readonly digestOlder: (seqs: readonly number[]) => Promise<void>
  /** Deletes all rows, and begins again with the record that `replace` makes. */
  readonly replaceRecord: (replace: () => Promise<void>) => Promise<void>
}

export interface StorageReport {
  /** `GET /query/storage`. */
  readonly status: Storage
  /** Stored submissions that are duplicates for Spotlight. */
  readonly copies: number
  /** For `/health/ready`: why the collector is not ready; empty if it is. */
  readonly notReady: readonly string[]
}

export function createStorageReport(parts: {
  readonly writer: Pick<WriterCalls, 'usage'>
  readonly rows: Pick<IndexedRows, 'usage' | 'stuck' | 'progress'>
  readonly keeper: Pick<DiskBudgetKeeper, 'isFull' | 'isEvicting' | 'isDiskFull' | 'evictsAt'>
  readonly cap: number
  readonly maxAgeMs: number | null
  readonly folder: string
  /** Whether a query met a damaged page of spool.db. */
  readonly isSpoolDamaged: () => boolean
  readonly now: () => number
}): () => Promise<StorageReport> {
  const { writer, rows, keeper, cap, folder } = parts
  return async () => {
    const usage = await writer.usage()
    const reading: Reading = {
      usage,
      rows: rows.usage(),
      stuck: rows.stuck(),
      isFull: keeper.isFull,
      isDiskFull: keeper.isDiskFull,
      isSpoolDamaged: parts.isSpoolDamaged(),
      cap,
      folder,
    }
    const problems = problemsOf(reading)
    return {
      status: {
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
        evictsAt: Math.round(keeper.evictsAt),
        next: usage.next,
        refused: usage.refused,
        state: stateOf(reading, keeper.isEvicting),
        trouble: problems.join('. ') || null,
        ballast: usage.ballast,
        rebuild: rows.progress(),
      },
      copies: usage.copies,
      notReady: usage.isBacklogFull ? [...problems, backlogProblem(usage)] : problems,
    }
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
