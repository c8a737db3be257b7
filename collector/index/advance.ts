import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { type Batch, nextRecords, recordsBySeq, rowsFrom, seqsBetween } from './digest-batch'
import { fromSpool } from './index-damage'
import type { IndexFile } from './index-file'

/**
 * Digests the next batch into a file of rows: first what it is found to lack, then what follows its cursor.
 * @returns with `upTo: null` when there was nothing to do.
 */
export function advance(
  file: IndexFile,
  parts: { readonly spool: Database; readonly limits: ReadLimits; readonly now: () => number },
): Batch {
  const { spool, now, limits } = parts
  const { seq } = file.cursor
  if (file.missing === null) {
    const from = fromSpool(() => rowsFrom(spool))
    const kept = fromSpool(() => seqsBetween(spool, from, seq))
    file.findMissing(kept, from)
  }
  const { missing } = file
  if (missing !== null && missing.length > 0) {
    const again = fromSpool(() => recordsBySeq(spool, missing))
    return file.digestMissing(again, now, limits)
  }
  const following = fromSpool(() => nextRecords(spool, seq))
  return file.digest(following, now, limits)
}
