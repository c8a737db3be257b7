import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { isOfDatabase } from './digest-batch'
import type { RowEraser } from './erase'
import { type SpoolRecord, walkRecord } from './walk-record'

/** A record that was digested and cannot be read any more: which of its rows are its own, nobody can tell. */
export type OnLost = (record: SpoolRecord, why: Error) => void

/**
 * Takes away the rows of some records, in one transaction. A record that could not be digested has only its own row;
 * walking it ends as it ended then.
 * @param seqs of the batch; a record that is not in the spool any more has no walk.
 * @param onLost called before the transaction ends, which rolls back when it throws. The rows that others may tell of too
 * stay behind: they have to be made anew.
 */
export function eraseBatch(
  seqs: readonly number[],
  records: readonly SpoolRecord[],
  { db, eraser }: { readonly db: Database; readonly eraser: RowEraser },
  limits: ReadLimits,
  onLost: OnLost,
): void {
  const isDigested = db.prepare("SELECT 1 FROM envelopes WHERE seq = ? AND state = 'digested'")
  const walk = db.transaction((record: SpoolRecord) => walkRecord(record, eraser, 0, limits))
  try {
    db.transaction(() => {
      for (const record of records) {
        if (isDigested.get(record.seq) === undefined) continue
        try {
          walk(record)
          eraser.keepEnvelope()
        } catch (error) {
          eraser.dropEnvelope()
          if (!(error instanceof Error) || isOfDatabase(error)) throw error
          onLost(record, error)
        }
      }
      for (const seq of seqs) eraser.record(seq)
      eraser.finish()
    }).immediate()
  } catch (error) {
    eraser.abandon()
    throw error
  }
}
