import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import type { ListFilter } from '../../lib/wire/list-filter'
import type { ListPosition, PageRequest } from '../../lib/wire/list-paging'
import { readsOf } from '../runtime/database'
import { isDamage, isMissingTable, SpoolDamagedError } from '../runtime/sqlite-errors'
import { namesRecordTable } from '../spool/local'
import { IndexDamagedError, isIndexDamaged } from './index-damage'
import { readAllBreadcrumbs, readTrail } from './lists/read-breadcrumbs'
import { countInnerSpans, readCounts } from './lists/read-counts'
import { readEnvelope } from './lists/read-envelope'
import { readEnvelopes } from './lists/read-envelopes'
import { readErrorGroup } from './lists/read-error-group'
import { countNewGroups, type GroupQuery, readErrorGroups } from './lists/read-error-groups'
import { readEvent, readEvents } from './lists/read-events'
import { readItems } from './lists/read-items'
import { readLeftOut } from './lists/read-left-out'
import { readPrograms } from './lists/read-programs'
import { readSegment, readSegments, readUsual } from './lists/read-segments'
import { countSignals, readDiscards, readSignal, readSignals, readSignalsOfTrace } from './lists/read-signals'
import { readSlow } from './lists/read-slow'
import { readTraceMinutes } from './lists/read-trace-minutes'
import { readTraces } from './lists/read-traces'
import { readValues } from './lists/read-values'
import { readSpan, readSpans } from './traces/read-spans'
import { TraceReadings } from './traces/read-trace'
import type { TracePart } from './traces/trace-spans'
import { readVisit } from './visits/read-visit'
import { GatheredHour, readVisits } from './visits/read-visits'

/** The methods of the thread that reads the index. @param open a connection to the index with the record attached */
export function createQueryMethods(open: () => Database, sizeLimits: ReadLimits, monotonic: () => number) {
  let db = open()
  const readings = new TraceReadings(sizeLimits, monotonic)
  const hour = new GatheredHour(monotonic)
  /** The check of a large index takes seconds: after a clean one, further damage is that of the record. */
  let isIndexClean = false

  function damageOf(error: Error): Error {
    // SQLite names a missing table, but not the damaged one of two attached files.
    const isOfIndex = isMissingTable(error) ? !namesRecordTable(error) : !isIndexClean && isIndexDamaged(db)
    if (isOfIndex) return new IndexDamagedError(error)
    isIndexClean ||= isDamage(error)
    return new SpoolDamagedError(error)
  }
  const bind = readsOf(() => db, damageOf)
  const queries = {
    traces: bind(readTraces),
    segments: bind(readSegments),
    segment: bind(readSegment),
    usual: bind(readUsual),
    slow: bind(readSlow),
    programs: bind(readPrograms),
    openTrace: bind((database, traceId: string, most: number) => readings.open(database, traceId, most)),
    openTraceColumns: bind((database, traceId: string, part: TracePart) =>
      readings.openColumns(database, traceId, part),
    ),
    nextOfTrace: bind((database, reading: number) => readings.next(database, reading)),
    closeTrace: (reading: number) => readings.close(reading),
    spans: bind((database, filter: ListFilter, position: ListPosition, page: PageRequest) =>
      readSpans(database, { sizeLimits, now: monotonic }, filter, position, page),
    ),
    span: bind((database, traceId: string, spanId: string) => readSpan(database, sizeLimits, traceId, spanId)),
    events: bind(readEvents),
    event: bind((database, eventId: string) => readEvent(database, sizeLimits, eventId)),
    errors: bind(readErrorGroups),
    errorGroup: bind((database, hash: string, nowMs: GroupQuery['nowMs']) =>
      readErrorGroup(database, sizeLimits, hash, nowMs),
    ),
    newGroups: bind(countNewGroups),
    breadcrumbs: bind(readAllBreadcrumbs),
    trail: bind(readTrail),
    signals: bind(readSignals),
    signal: bind(readSignal),
    signalsOfTrace: bind(readSignalsOfTrace),
    signalCounts: bind(countSignals),
    envelopes: bind(readEnvelopes),
    envelope: bind(readEnvelope),
    items: bind(readItems),
    counts: bind(readCounts),
    leftOut: bind(readLeftOut),
    values: bind(readValues),
    traceMinutes: bind(readTraceMinutes),
    discards: bind(readDiscards),
    visits: bind((database, limit: number, nowMs: GroupQuery['nowMs']) => readVisits(database, hour, limit, nowMs)),
    visit: bind((database, id: string, nowMs: GroupQuery['nowMs']) =>
      readVisit(database, { hour, sizeLimits }, id, nowMs),
    ),
    innerSpans: bind(countInnerSpans),
  }
  const control = {
    /** Closes the index file, which is about to be replaced. */
    pause: () => {
      db.close()
    },
    resume: () => {
      db = open()
      isIndexClean = false
    },
  }
  return { queries, control, close: () => db.close() }
}

/** The queries of the index, as its thread answers them. */
export type QueryMethods = ReturnType<typeof createQueryMethods>['queries']
