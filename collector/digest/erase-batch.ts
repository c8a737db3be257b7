import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/items/signal'
import type { RowEraser } from '../store/erase'
import { type SpoolRecord, walkRecord } from './records'

/**
 * Takes away the rows of some records, in one transaction. A record that could not be digested has only its own row;
 * walking it ends as it ended then.
 * @param seqs of the batch; a record that is not in the spool any more has no walk.
 */
export function eraseBatch(
  seqs: readonly number[],
  records: readonly SpoolRecord[],
  { db, eraser }: { readonly db: Database; readonly eraser: RowEraser },
  limits: ReadLimits,
): void {
  const isDigested = db.prepare("SELECT 1 FROM envelopes WHERE seq = ? AND state = 'digested'")
  try {
    db.transaction(() => {
      for (const record of records) {
        if (isDigested.get(record.seq) === undefined) continue
        walkRecord(record, eraser, 0, limits)
        eraser.keepEnvelope()
      }
      for (const seq of seqs) eraser.record(seq)
      eraser.finish()
    }).immediate()
  } catch (error) {
    eraser.abandon()
    throw error
  }
}
