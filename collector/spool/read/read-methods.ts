import type { Database } from 'better-sqlite3'
import { prepareOnce, readsOf } from '../../runtime/database'
import { isDamage, SpoolDamagedError } from '../../runtime/sqlite-errors'
import { transfer } from '../../runtime/thread-call'
import { BodyDamagedError } from '../record-body'
import { readDeliveries, readDelivery } from './read-deliveries'
import { journalHead, readJournal } from './read-journal'
import { readLosses, readTotals } from './read-ledger'
import { readLimitHistory, readStoredLimits, readUnreported } from './read-limits'
import { readOutcomes, readOutcomesOf } from './read-outcomes'
import { countPending, readDeadItems, readDeadLetters, readDeadSeqs, readPending, readStranded } from './read-pending'
import { readRecent } from './read-recent'
import { newestRecorded, type RecordedFilter, readRecorded } from './read-recorded'
import { readSetting, readSettings } from './read-settings'
import { readRecord } from './read-submissions'
import { readVisitor, readVisitorNeighbours } from './read-visitor'

/** The methods of the thread that reads the record. */
export function createReadMethods(db: Database) {
  const bind = readsOf(
    () => db,
    (error) => new SpoolDamagedError(error),
  )
  return {
    record: (seq: number) => readOneRecord(db, seq),
    deliveries: bind(readDeliveries),
    delivery: bind(readDelivery),
    outcomes: bind(readOutcomes),
    outcomesOf: bind(readOutcomesOf),
    losses: bind(readLosses),
    totals: bind(readTotals),
    deadLetters: bind(readDeadLetters),
    deadSeqs: bind(readDeadSeqs),
    deadItems: bind(readDeadItems),
    journal: bind(readJournal),
    head: bind(journalHead),
    recorded: bind((database, after: number, filter: RecordedFilter, limit: number) => {
      const page = readRecorded(database, after, filter, limit)
      const body = new TextEncoder().encode(JSON.stringify(page))
      const isFound = page.recorded.length + page.damaged.length > 0
      return transfer({ next: page.next, isFound, body }, [body.buffer])
    }),
    newestRecorded: bind(newestRecorded),
    limits: bind(readStoredLimits),
    limitHistory: bind(readLimitHistory),
    unreported: bind(readUnreported),
    setting: bind(readSetting),
    settings: bind(readSettings),
    pending: bind(readPending),
    countPending: bind(countPending),
    stranded: bind(readStranded),
    recent: bind(readRecent),
    visitor: bind(readVisitor),
    visitorNeighbours: bind(readVisitorNeighbours),
  }
}

export type ReadMethods = ReturnType<typeof createReadMethods>

/** @throws BodyDamagedError when only this record is damaged, SpoolDamagedError when more of the file is */
function readOneRecord(db: Database, seq: number): ReturnType<typeof readRecord> {
  try {
    return readRecord(db, seq)
  } catch (error) {
    if (!(error instanceof Error) || !isDamage(error)) throw error
    throw isListed(db, seq) ? new BodyDamagedError('its body is on a damaged page') : new SpoolDamagedError(error)
  }
}

/** Whether the first page of a record, with all but a long body, is readable. */
function isListed(db: Database, seq: number): boolean {
  try {
    return prepareOnce(db, 'SELECT journal, stamp, quantities FROM submissions WHERE seq = ?').get(seq) !== undefined
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}
