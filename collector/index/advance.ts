import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { type Batch, nextRecords, recordsOf, rowsFrom, seqsBetween } from './digest-batch'
import { ofSpool } from './index-damage'
import type { RowsFile } from './index-file'

/**
 * Digests the next batch into a file of rows: first what it is found to lack, then what follows its cursor.
 * @returns with `upTo: null` when there was nothing to do.
 */
export function advance(
  file: RowsFile,
  parts: { readonly spool: Database; readonly limits: ReadLimits; readonly now: () => number },
): Batch {
  const { spool, now, limits } = parts
  const { seq } = file.cursor
  if (file.missing === null) {
    const from = ofSpool(() => rowsFrom(spool))
    const kept = ofSpool(() => seqsBetween(spool, from, seq))
    file.findMissing(kept, from)
  }
  const { missing } = file
  if (missing !== null && missing.length > 0) {
    const again = ofSpool(() => recordsOf(spool, missing))
    return file.digestMissing(again, now, limits)
  }
  const following = ofSpool(() => nextRecords(spool, seq))
  return file.digest(following, now, limits)
}
