import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openForReading } from '../runtime/database'

/**
 * The synchronous door of the record, for threads that read the local file themselves: index and judge. Bodies then need
 * not cross the main thread. Functions take a connection of `openLocal`, or one to which `attachLocal` has added the file.
 */

/** @returns a read-only connection to the record of a data folder. @throws when there is none */
export const openLocal = (folder: string): Database => openForReading(join(folder, 'spool.db'))

/**
 * Adds the record, with the schema name `spool`, to a read-only connection to the index. No table name is in both files,
 * so functions of this door find their tables by the name alone. Few statements need both: those that join or filter
 * rows by delivery status.
 */
export function attachLocal(index: Database, folder: string): void {
  // A connection that was opened read-only attaches read-only.
  index.prepare('ATTACH ? AS spool').run(join(folder, 'spool.db'))
}

/** Whether SQLite's message about a missing table names one of the record. */
export const namesRecordTable = ({ message }: Error): boolean =>
  /: (?:spool\.)?(?:submissions|counters|pending_deliveries|deliveries|outcomes|dead_letters|settings|sqlite_sequence)$/.test(
    message,
  )

export { NEVER_POSTED, readAttempts, readPostSummaries } from './read/read-deliveries'
export { journalHead } from './read/read-journal'
export { newestSubmissions, type SubmissionQuery } from './read/read-newest'
export { BY_RECORD, type FoundSubmission, findByStatus, HAS_STATUS, readEvicted } from './read/read-numbers'
export { DEAD_LETTER, type DeliveryStatuses, envelopeDeliveryStatus, readDeliveryStatuses } from './read/read-outcomes'
export { readMarks, type StoredMark } from './read/read-settings'
export {
  BATCH_ENVELOPES,
  headOf,
  IS_OWN,
  isFullBatch,
  lastNumber,
  nextSubmissions,
  PAGE_OF,
  readRecord,
  readSubmissionRow,
  readUserAgent,
  rowsFrom,
  type SubmissionRow,
  seqsBetween,
  submissionsBySeq,
} from './read/read-submissions'
export { BodyDamagedError, readBody } from './record-body'
export { readQuantities } from './stored-content'
