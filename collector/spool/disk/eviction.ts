import type { FileUse } from '../../../lib/wire/storage'
import type { PlainError } from '../../runtime/thread-call'
import type { WriterCalls } from '../writer-methods'
import type { SpoolUsage } from './usage'

/** The rows that the digest made of records, in telemetry.db. */
export interface RowsOfRecords {
  readonly erase: (seqs: readonly number[]) => Promise<void>
  readonly usage: () => FileUse
  /** Every record up to this one has its rows. */
  readonly cursor: () => number
  /** Why rows cannot be written now; `null` when they can. */
  readonly stuck: () => PlainError | null
}

export type EvictableSpool = Pick<
  WriterCalls,
  | 'settledRecords'
  | 'agedRecords'
  | 'evictAged'
  | 'copyRecords'
  | 'evictCopies'
  | 'recordsWithRows'
  | 'deadLetterRecords'
  | 'expiredRecords'
  | 'evictSettled'
  | 'noteRowsEvicted'
  | 'evictDeadLetters'
  | 'evictExpired'
>

const ALL = Number.MAX_SAFE_INTEGER

/**
 * Evicts one small batch of the first class that has any: settled records with their rows; rows of pending records;
 * dead letters; expired pending records. Rows are deleted before their record.
 * @param bytes evicts no more records than have this many. @returns false if there is nothing to evict.
 */
export async function evictBatch(spool: EvictableSpool, rows: RowsOfRecords, bytes: number): Promise<boolean> {
  const settled = await spool.settledRecords(ALL, bytes)
  if (settled.length > 0) {
    await rows.erase(settled)
    await spool.evictSettled(settled)
    return true
  }
  // Only up to the cursor: the digest would still make the rows of a later record.
  const withRows = await spool.recordsWithRows(rows.cursor(), bytes)
  if (withRows.length > 0) {
    await rows.erase(withRows)
    await spool.noteRowsEvicted(withRows)
    return true
  }
  const deadLetters = await spool.deadLetterRecords(ALL, bytes)
  if (deadLetters.length > 0) {
    await rows.erase(deadLetters)
    await spool.evictDeadLetters(deadLetters)
    return true
  }
  return evictExpired(spool, rows)
}

/** Evicts the oldest copies for another one. @returns false if there are none */
export async function evictCopies(
  spool: Pick<WriterCalls, 'copyRecords' | 'evictCopies'>,
  rows: Pick<RowsOfRecords, 'erase'>,
): Promise<boolean> {
  const copies = await spool.copyRecords(ALL)
  if (copies.length === 0) return false
  await rows.erase(copies)
  await spool.evictCopies(copies)
  return true
}

/** Evicts a batch of settled records that were received before a time, ms since the epoch. @returns false if there are none */
export async function evictAged(
  spool: Pick<WriterCalls, 'agedRecords' | 'evictAged'>,
  rows: Pick<RowsOfRecords, 'erase'>,
  { before, now }: { readonly before: number; readonly now: number },
): Promise<boolean> {
  const aged = await spool.agedRecords(before, now)
  if (aged.length === 0) return false
  await rows.erase(aged)
  await spool.evictAged(aged)
  return true
}

/** Evicts a batch of expired pending records. @returns false if there are none */
export async function evictExpired(
  spool: Pick<WriterCalls, 'expiredRecords' | 'evictExpired'>,
  rows: Pick<RowsOfRecords, 'erase'>,
): Promise<boolean> {
  const expired = await spool.expiredRecords(ALL)
  if (expired.length === 0) return false
  await rows.erase(expired)
  await spool.evictExpired(expired)
  return true
}

/** Returns whether `needed` bytes would fit if everything that may be evicted were. If not, evicting for them is useless. */
export async function fitsAfterEviction(
  spool: Pick<WriterCalls, 'usage' | 'expiredRecords'>,
  needed: number,
  bound: number,
): Promise<boolean> {
  const { pending } = await spool.usage()
  return pending.bytes + needed <= bound || (await spool.expiredRecords(ALL)).length > 0
}

/** The number of the newest record. */
export interface WithNewest {
  readonly usage: () => Promise<Pick<SpoolUsage, 'newest'>>
}

/** With `pending` also dead letters and pending records, as `dropped`. Records that arrive meanwhile stay. */
export async function clearRecords(
  parts: {
    readonly spool: Pick<
      WriterCalls,
      'settledRecords' | 'deadLetterRecords' | 'pendingRecords' | 'clear' | 'noteCleared'
    > &
      WithNewest
    readonly rows: Pick<RowsOfRecords, 'erase'>
  },
  options: { readonly pending: boolean },
): Promise<number> {
  const { spool, rows } = parts
  const upTo = (await spool.usage()).newest
  const classes = options.pending
    ? [spool.settledRecords, spool.deadLetterRecords, spool.pendingRecords]
    : [spool.settledRecords]
  let cleared = 0
  for (const next of classes) {
    for (let seqs = await next(upTo); seqs.length > 0; seqs = await next(upTo)) {
      await rows.erase(seqs)
      await spool.clear(seqs)
      cleared += seqs.length
    }
  }
  await spool.noteCleared()
  return cleared
}
