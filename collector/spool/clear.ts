import type { RowsOfRecords } from './evict-batch'
import type { Spool } from './spool'

/**
 * Clears what owes nothing, and with `pending` the rest too, dead letters among it, which then ends as `dropped`. What arrives meanwhile stays;
 * numbers go on, and the books stay.
 * @returns how many records went.
 */
export async function clearRecords(
  parts: {
    readonly spool: Pick<Spool, 'usage' | 'owingNothing' | 'deadLetters' | 'pending' | 'clear' | 'cleared'>
    readonly rows: Pick<RowsOfRecords, 'erase'>
  },
  options: { readonly pending: boolean },
): Promise<number> {
  const { spool, rows } = parts
  const upTo = (await spool.usage()).newest
  let cleared = 0
  for (const next of options.pending ? [spool.owingNothing, spool.deadLetters, spool.pending] : [spool.owingNothing]) {
    for (let seqs = await next(upTo); seqs.length > 0; seqs = await next(upTo)) {
      await rows.erase(seqs)
      await spool.clear(seqs)
      cleared += seqs.length
    }
  }
  await spool.cleared()
  return cleared
}
