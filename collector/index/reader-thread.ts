import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import type { ListFilter } from '../../lib/wire/list-filter'
import type { ListPosition, PageRequest } from '../../lib/wire/list-paging'
import { openForReading, prepareOnce } from '../runtime/database'
import { isDamage, isMissingTable, SpoolDamagedError } from '../runtime/sqlite-errors'
import { answerCalls, awaitTurn, threadPort, transfer } from '../runtime/thread-call'
import { readDeliveries, readDelivery } from '../spool/read/read-deliveries'
import { readLimitHistory, readStoredLimits, readUnreported } from '../spool/read/read-limits'
import { readOutcomes, readOutcomesOf } from '../spool/read/read-outcomes'
import {
  countPending,
  readDeadItems,
  readDeadLetters,
  readDeadSeqs,
  readPending,
  readStranded,
} from '../spool/read/read-pending'
import { newestRecorded, type RecordedFilter, readRecorded } from '../spool/read/read-recorded'
import { BodyDamagedError } from '../spool/record-body'
import { IndexDamagedError, isIndexDamaged } from './index-damage'
import { indexPath } from './index-open'
import { readAllBreadcrumbs, readTrail } from './lists/read-breadcrumbs'
import { readEnvelope, readRecord } from './lists/read-envelope'
import { readEnvelopes } from './lists/read-envelopes'
import { readEvent, readEvents } from './lists/read-events'
import { journalHead, readItems, readJournal } from './lists/read-journal'
import { readLosses, readTotals } from './lists/read-ledger'
import { readSegment, readSegments } from './lists/read-segments'
import { countSignals, readSignal, readSignals, readSignalsOfTrace } from './lists/read-signals'
import { readTraces } from './lists/read-traces'
import { readSpan, readSpans } from './traces/read-spans'
import { TraceReadings } from './traces/read-trace'

/** The entry of a reader thread: it answers queries from the index (`telemetry.db`) and the record (`spool.db`). */
const { folder, sizeLimits } = workerData as { readonly folder: string; readonly sizeLimits: ReadLimits }

function open(): Database {
  const opened = openForReading(indexPath(folder))
  // A connection that was opened read-only attaches read-only.
  opened.prepare('ATTACH ? AS spool').run(join(folder, 'spool.db'))
  return opened
}

awaitTurn()
let db = open()
const readings = new TraceReadings(sizeLimits, () => performance.now())

const bind =
  <Args extends readonly unknown[], Value>(read: (database: Database, ...args: Args) => Value) =>
  (...args: Args): Value => {
    try {
      return read(db, ...args)
    } catch (error) {
      throw error instanceof Error && (isDamage(error) || isMissingTable(error)) ? damageOf(error) : error
    }
  }

/** The check of a large index takes seconds: after a clean one, further damage is that of the record. */
let isIndexClean = false

function damageOf(error: Error): Error {
  // SQLite names a missing table with its schema, but not the damaged one of two attached files.
  if (isMissingTable(error))
    return error.message.includes(': spool.') ? new SpoolDamagedError(error) : new IndexDamagedError(error)
  if (!isIndexClean && isIndexDamaged(db)) return new IndexDamagedError(error)
  isIndexClean = true
  return new SpoolDamagedError(error)
}

/** Whether the first page of a record, with all but a long body, is readable. */
function isListed(seq: number): boolean {
  try {
    return (
      prepareOnce(db, 'SELECT journal, stamp, quantities FROM spool.submissions WHERE seq = ?').get(seq) !== undefined
    )
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

/** For reads of one record: the index takes no part in them. */
const readRecordOnly = (seq: number) => {
  try {
    return readRecord(db, seq)
  } catch (error) {
    if (!(error instanceof Error) || !isDamage(error)) throw error
    throw isListed(seq) ? new BodyDamagedError('its body is on a damaged page') : new SpoolDamagedError(error)
  }
}

/** A setting that was changed at run time; `null` when it never was. */
function readSetting(db: Database, name: string): string | null {
  const value: unknown = db.prepare('SELECT value FROM spool.settings WHERE name = ?').pluck().get(name)
  return typeof value === 'string' ? value : null
}

const methods = {
  ready: () => true,
  /** Closes the index file, which is about to be replaced. */
  pause: () => {
    db.close()
  },
  resume: () => {
    db = open()
    isIndexClean = false
  },
  traces: bind(readTraces),
  segments: bind(readSegments),
  segment: bind(readSegment),
  openTrace: bind((database, traceId: string, most: number) => readings.open(database, traceId, most)),
  nextOfTrace: bind((database, reading: number) => readings.next(database, reading)),
  closeTrace: (reading: number) => readings.close(reading),
  spans: bind((database, filter: ListFilter, position: ListPosition, page: PageRequest) =>
    readSpans(database, { sizeLimits, now: () => performance.now() }, filter, position, page),
  ),
  span: bind((database, traceId: string, spanId: string) => readSpan(database, sizeLimits, traceId, spanId)),
  events: bind(readEvents),
  event: bind((database, eventId: string) => readEvent(database, sizeLimits, eventId)),
  breadcrumbs: bind(readAllBreadcrumbs),
  trail: bind(readTrail),
  signals: bind(readSignals),
  signal: bind(readSignal),
  signalsOfTrace: bind(readSignalsOfTrace),
  signalCounts: bind(countSignals),
  envelopes: bind(readEnvelopes),
  envelope: bind(readEnvelope),
  record: readRecordOnly,
  deliveries: bind(readDeliveries),
  delivery: bind(readDelivery),
  outcomes: bind(readOutcomes),
  outcomesOf: bind(readOutcomesOf),
  losses: bind(readLosses),
  deadLetters: bind(readDeadLetters),
  deadSeqs: bind(readDeadSeqs),
  deadItems: bind(readDeadItems),
  journal: bind(readJournal),
  head: bind(journalHead),
  items: bind(readItems),
  recorded: bind((database, after: number, filter: RecordedFilter, limit: number) => {
    const page = readRecorded(database, after, filter, limit)
    const body = new TextEncoder().encode(JSON.stringify(page))
    const isFound = page.recorded.length + page.damaged.length > 0
    return transfer({ next: page.next, isFound, body }, [body.buffer])
  }),
  newestRecorded: bind(newestRecorded),
  totals: bind(readTotals),
  limits: bind(readStoredLimits),
  limitHistory: bind(readLimitHistory),
  unreported: bind(readUnreported),
  setting: bind(readSetting),
  pending: bind(readPending),
  countPending: bind(countPending),
  stranded: bind(readStranded),
}

export type ReaderMethods = typeof methods

answerCalls(threadPort(), methods, () => db.close())
