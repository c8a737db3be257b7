import type { PlainError } from '../../../collector/runtime/thread-call'
import { DiskBudgetKeeper } from '../../../collector/spool/disk/budget-keeper'
import { EXPIRES_AFTER_MS } from '../../../collector/spool/disk/delete-records'
import type { DiskBudgetExceeded } from '../../../collector/spool/submission'
import type { Submission } from '../../../lib/protocol/submission'
import { type InProcessSpool, openInProcess } from './in-process-spool'

export const CAP = 4 * 1024 * 1024
/** Bytes of a submission; 16 of them fill the cap. */
export const PART = CAP / 16

/** Fake rows that use this many bytes per record. */
function rowsOf(bytesOfEach: number) {
  const digested = new Set<number>()
  const erased: number[] = []
  const skipped: number[] = []
  return {
    erased,
    passedOver: skipped,
    cursorAt: 0,
    error: null as PlainError | null,
    digest(upTo: number): void {
      for (let seq = this.cursorAt + 1; seq <= upTo; seq += 1) digested.add(seq)
      this.cursorAt = upTo
    },
    has: (seq: number): boolean => digested.has(seq),
    erase: async (seqs: readonly number[]): Promise<void> => {
      for (const seq of seqs) (digested.delete(seq) ? erased : skipped).push(seq)
    },
    usage: () => ({ used: digested.size * bytesOfEach, file: 0, wal: 0 }),
    cursor(): number {
      return this.cursorAt
    },
    stuck(): PlainError | null {
      return this.error
    },
  }
}

export function station(
  options: { cap?: number; rowBytes?: number; monotonic?: () => number; now?: () => number; maxAgeMs?: number } = {},
) {
  const { maxAgeMs = null, now = () => 0 } = options
  const spool = openInProcess({
    cap: options.cap ?? CAP,
    ...(options.monotonic && { monotonic: options.monotonic }),
    ...(maxAgeMs !== null && { expiresAfterMs: Math.max(EXPIRES_AFTER_MS, maxAgeMs) }),
  })
  const rows = rowsOf(options.rowBytes ?? 0)
  const keeper = keeperOf(spool, rows, options.cap ?? CAP, options.monotonic, { maxAgeMs, now })
  return { spool, rows, keeper }
}

export const keeperOf = (
  spool: Partial<InProcessSpool>,
  rows: ReturnType<typeof rowsOf>,
  cap: number,
  monotonic = () => 0,
  age: { readonly maxAgeMs: number | null; readonly now: () => number } = { maxAgeMs: null, now: () => 0 },
): DiskBudgetKeeper =>
  new DiskBudgetKeeper({
    spool: spool as InProcessSpool,
    rows,
    cap,
    monotonic,
    ...age,
    startTimer: (work) => {
      const soon = setImmediate(work)
      return () => clearImmediate(soon)
    },
    onDeath: (error) => {
      throw error
    },
  })

/** Appends, digests at once and notifies the keeper, as the collector does. */
export async function appendAndDigest(
  { spool, rows, keeper }: ReturnType<typeof station>,
  one: Submission,
): Promise<number | DiskBudgetExceeded> {
  const given = await keeper.appendWithEviction(one)
  if (!('seq' in given)) return given
  rows.digest(given.seq)
  keeper.spoolGrew((await spool.usage()).spool.used, true)
  return given.seq
}

export const seqsOf = (spool: InProcessSpool): number[] =>
  spool.db.prepare('SELECT seq FROM submissions ORDER BY seq').pluck().all() as number[]
