import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/items/signal'
import { isDamage } from '../damage'
import { openForReading } from '../spool/open'
import { answerCalls, threadPort } from '../thread-call'
import { storePath } from './open'
import { readDeliveries, readDelivery } from './read-deliveries'
import { readEnvelope, readEnvelopes, readRecord } from './read-envelopes'
import { readBreadcrumbs, readEvent, readEvents } from './read-events'
import { journalHead, readItems, readJournal } from './read-journal'
import { countSignals, readSignal, readSignals, readSignalsOfTrace } from './read-signals'
import { countOwed, readLimits, readOwed, readSetting, readTotals } from './read-totals'
import { readTraces } from './read-traces'
import { RowsDamagedError } from './rows-damaged'
import { TraceReadings } from './trace-readings'

/** Reads for people, CI and the relay: rows from `telemetry.db`, the record and its fate from `spool.db` beside it. */
const { folder, limits } = workerData as { readonly folder: string; readonly limits: ReadLimits }

function open(): Database {
  const opened = openForReading(storePath(folder))
  // A connection that was opened read-only attaches read-only.
  opened.prepare('ATTACH ? AS spool').run(join(folder, 'spool.db'))
  return opened
}

let db = open()
const readings = new TraceReadings(limits, () => performance.now())

const bind =
  <Args extends readonly unknown[], Value>(read: (database: Database, ...args: Args) => Value) =>
  (...args: Args): Value => {
    try {
      return read(db, ...args)
    } catch (error) {
      throw error instanceof Error && isDamage(error) && rowsAreDamaged() ? new RowsDamagedError(error) : error
    }
  }

/** Which of the two files is damaged SQLite does not say. The rows are the ones that can be made again. */
function rowsAreDamaged(): boolean {
  try {
    return db.prepare('PRAGMA main.quick_check(1)').pluck().get() !== 'ok'
  } catch (error) {
    return error instanceof Error && isDamage(error)
  }
}

export const methods = {
  ready: () => true,
  /** Lets go of the rows' file, which is about to be exchanged. */
  pause: () => {
    db.close()
  },
  resume: () => {
    db = open()
  },
  traces: bind(readTraces),
  openTrace: bind((database, traceId: string, most: number) => readings.open(database, traceId, most)),
  nextOfTrace: bind((database, reading: number) => readings.next(database, reading)),
  closeTrace: (reading: number) => readings.close(reading),
  events: bind(readEvents),
  // An event is read as the digest read it.
  event: bind((database, eventId: string) => readEvent(database, limits, eventId)),
  breadcrumbs: bind(readBreadcrumbs),
  signals: bind(readSignals),
  signal: bind(readSignal),
  signalsOfTrace: bind(readSignalsOfTrace),
  signalCounts: bind(countSignals),
  envelopes: bind(readEnvelopes),
  envelope: bind(readEnvelope),
  record: bind(readRecord),
  deliveries: bind(readDeliveries),
  delivery: bind(readDelivery),
  journal: bind(readJournal),
  head: bind(journalHead),
  items: bind(readItems),
  totals: bind(readTotals),
  limits: bind(readLimits),
  setting: bind(readSetting),
  owed: bind(readOwed),
  countOwed: bind(countOwed),
}

export type ReaderMethods = typeof methods

answerCalls(threadPort(), methods, () => db.close())
