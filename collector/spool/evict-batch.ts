import type { Spool } from './spool'

/** The rows as the keeper needs them. */
export interface RowsOfRecords {
  /** Takes away all rows of these records; done when it is written. */
  readonly erase: (seqs: readonly number[]) => Promise<void>
  readonly usage: () => { readonly used: number; readonly wal: number }
  /** Every record up to this one has its rows. */
  readonly cursor: () => number
  /** Why rows cannot be written just now. */
  readonly stuck: () => string | null
}

export type EvictableSpool = Pick<
  Spool,
  'owingNothing' | 'withRows' | 'deadLetters' | 'pastDue' | 'evict' | 'rowsEvicted' | 'giveUp' | 'expire'
>

/**
 * Evicts one small batch of the first class that has any, oldest first: records that owe nothing, with their rows; rows of
 * pending records; dead letters; pending records older than a day of running time. A row never outlives its record, so rows go first.
 * @param bytes that are wanted: not more records than have so many.
 * @returns whether there was any.
 */
export async function evictBatch(spool: EvictableSpool, rows: RowsOfRecords, bytes: number): Promise<boolean> {
  const owingNothing = await spool.owingNothing(EVERY, bytes)
  if (owingNothing.length > 0) {
    await rows.erase(owingNothing)
    await spool.evict(owingNothing)
    return true
  }
  // The record stays, so rows that are still to be made of it would come all the same.
  const withRows = await spool.withRows(rows.cursor(), bytes)
  if (withRows.length > 0) {
    await rows.erase(withRows)
    await spool.rowsEvicted(withRows)
    return true
  }
  const dead = await spool.deadLetters(EVERY, bytes)
  if (dead.length > 0) {
    await rows.erase(dead)
    await spool.giveUp(dead)
    return true
  }
  const pastDue = await spool.pastDue(EVERY)
  if (pastDue.length === 0) return false
  await rows.erase(pastDue)
  await spool.expire(pastDue)
  return true
}

const EVERY = Number.MAX_SAFE_INTEGER

/** Would so many bytes fit if everything went that may? Where they would not, nothing goes for them. */
export async function fitsBesidePending(
  spool: Pick<Spool, 'usage' | 'pastDue'>,
  needed: number,
  bound: number,
): Promise<boolean> {
  const { pending } = await spool.usage()
  return pending.bytes + needed <= bound || (await spool.pastDue(Number.MAX_SAFE_INTEGER)).length > 0
}
