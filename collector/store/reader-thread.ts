import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import type { ReadLimits } from '../../lib/items/signal'
import { openForReading } from '../spool/open'
import { answerCalls, threadPort } from '../thread-call'
import { storePath } from './open'
import { readDeliveries, readDelivery } from './read-deliveries'
import { readEnvelope, readEnvelopes, readRecord } from './read-envelopes'
import { readBreadcrumbs, readEvent, readEvents } from './read-events'
import { journalHead, readItems, readJournal } from './read-journal'
import { countSignals, readSignal, readSignals, readSignalsOfTrace } from './read-signals'
import { countOwed, readLimits, readOwed, readSetting, readTotals } from './read-totals'
import { readTrace, readTraces } from './read-traces'

/** Reads for people, CI and the relay: rows from `telemetry.db`, the record and its fate from `spool.db` beside it. */
const { folder, limits } = workerData as { readonly folder: string; readonly limits: ReadLimits }
const db = openForReading(storePath(folder))
// A connection that was opened read-only attaches read-only.
db.prepare('ATTACH ? AS spool').run(join(folder, 'spool.db'))

const bind =
  <Args extends readonly unknown[], Value>(read: (database: typeof db, ...args: Args) => Value) =>
  (...args: Args): Value =>
    read(db, ...args)

export const methods = {
  ready: () => true,
  traces: bind(readTraces),
  trace: bind(readTrace),
  events: bind(readEvents),
  // An event is read as the digest read it.
  event: (eventId: string) => readEvent(db, limits, eventId),
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
