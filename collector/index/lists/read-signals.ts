import type { Database } from 'better-sqlite3'
import { SIGNAL_KINDS, type SignalKind } from '../../../lib/protocol/items/signal'
import { isOfLevel } from '../../../lib/protocol/level'
import { boundsFor, fillPage, READ_BOUNDS } from '../../../lib/wire/fill-page'
import {
  hasFields,
  hasTexts,
  isWithin,
  type ListFilter,
  matchesWhole,
  signalTexts,
} from '../../../lib/wire/list-filter'
import type { ListPosition, PageRequest } from '../../../lib/wire/list-paging'
import type { SignalCounts, SignalDetail, SignalRow, SignalsPage } from '../../../lib/wire/signal'
import { journalHead, readDeliveryStatuses } from '../../spool/local'
import { readRowCounts } from '../rows/write-staged'
import { recordMatcher, scanByRecords, type TermedList } from './list-by-terms'

/** Signals of one trace in one answer. */
const LARGEST_TRACE_SIGNALS = 1000

export type StoredSignal = Omit<SignalRow, 'fields' | 'deliveryStatus'> & { readonly fields: string }

export const SIGNAL_COLUMNS = `kind, key, journal, seq, item, received_at AS receivedAt, timestamp_us AS timestampUs, trace_id AS traceId,
  span_id AS spanId, event_id AS eventId, name, level, service, environment, release, copy, fields`

export function readSignalsOfTrace(db: Database, traceId: string): SignalsPage {
  const rows = db
    .prepare(
      `SELECT ${SIGNAL_COLUMNS} FROM signals WHERE trace_id = ? ORDER BY timestamp_us, seq, item, position
       LIMIT ${LARGEST_TRACE_SIGNALS}`,
    )
    .all(traceId) as StoredSignal[]
  return { signals: toSignals(db, rows), next: null, journal: journalHead(db) }
}

/** @returns `null` when no signal has this key. */
export function readSignal(db: Database, kind: SignalKind, key: string): SignalDetail | null {
  const row = db.prepare(`SELECT ${SIGNAL_COLUMNS} FROM signals WHERE kind = ? AND key = ?`).get(kind, key)
  const [signal] = row === undefined ? [] : toSignals(db, [row as StoredSignal])
  return signal === undefined ? null : { signal, journal: journalHead(db) }
}

/** The number of signals of each kind, including kinds with none. */
export function countSignals(db: Database): SignalCounts {
  const counts = readRowCounts(db)
  return {
    counts: Object.fromEntries(SIGNAL_KINDS.map((kind) => [kind, counts[kind]])) as SignalCounts['counts'],
    journal: journalHead(db),
  }
}

export function toSignals(db: Database, rows: readonly StoredSignal[]): SignalRow[] {
  const deliveryStatuses = readDeliveryStatuses(
    db,
    rows.map((row) => row.seq),
  )
  return rows.map((row) => ({
    ...row,
    fields: JSON.parse(row.fields) as SignalRow['fields'],
    deliveryStatus: deliveryStatuses(row.seq).of(row.item),
  }))
}

export function readSignals(
  db: Database,
  kind: SignalKind,
  filter: ListFilter,
  position: ListPosition,
  page: PageRequest,
  given = READ_BOUNDS,
): SignalsPage {
  const bounds = boundsFor(filter, given)
  const found = fillPage(
    scanByRecords(db, listOf(db, kind), filter, position, bounds),
    page,
    matchesWhole(filter, matcher(db)),
    bounds.rows,
  )
  return { signals: toSignals(db, found.rows), next: found.next, journal: journalHead(db) }
}

function listOf(db: Database, kind: SignalKind): TermedList<StoredSignal> {
  const [below, ofRecord] = [db.prepare(BELOW), db.prepare(OF_RECORD)]
  return {
    kind,
    below: (position, most) => below.iterate({ ...position, kind, most }) as IterableIterator<StoredSignal>,
    // Iterated, because a container may have thousands of signals.
    ofRecord: (journal, position) =>
      ofRecord.iterate({ ...position, kind, of: journal }) as IterableIterator<StoredSignal>,
    positionOf: (row) => ({ journal: row.journal, id: row.key }),
    textsOf,
  }
}

const textsOf = (row: StoredSignal): readonly string[] =>
  signalTexts({ ...row, fields: JSON.parse(row.fields) as SignalRow['fields'] })

export const BELOW = `SELECT ${SIGNAL_COLUMNS} FROM signals WHERE kind = @kind AND (journal, key) < (@journal, @id)
  ORDER BY journal DESC, key DESC LIMIT @most`
export const OF_RECORD = `SELECT ${SIGNAL_COLUMNS} FROM signals INDEXED BY signals_newest
  WHERE kind = @kind AND journal = @of AND (@of < @journal OR key < @id) ORDER BY journal DESC, key DESC`

function matcher(db: Database): (row: StoredSignal, part: ListFilter) => boolean {
  const ofRecord = recordMatcher(db)
  return (row, part) =>
    (part.envelope === undefined || part.envelope === row.seq) &&
    hasFields(row, part, ['name', 'environment', 'release', 'service']) &&
    isOfLevel(row.level, part.level, part.starts?.level) &&
    isWithin(row.timestampUs, part) &&
    ofRecord(row.seq, part) &&
    hasTexts(part, () => textsOf(row))
}

/** Discards that one answer counts. */
export const MAX_COUNTED_DISCARDS = 1000

export interface ReportedDiscard {
  /** Receipt of the report, ms since the epoch. */
  readonly at: number
  readonly category: string
  readonly reason: string
  readonly quantity: number
}

/**
 * The newest discards that SDKs reported, without copies and damaged reports.
 * @param upTo journal number of the newest report that counts @param since ms since the epoch
 */
export function readDiscards(db: Database, upTo: number, since: number): readonly ReportedDiscard[] {
  return db
    .prepare(
      `SELECT received_at AS at, fields ->> 'category' AS category, fields ->> 'reason' AS reason,
         fields ->> 'quantity' AS quantity
       FROM (SELECT received_at, CASE WHEN json_valid(fields) THEN fields END AS fields, copy FROM signals WHERE kind = 'client_report' AND journal <= @upTo
         ORDER BY journal DESC LIMIT ${MAX_COUNTED_DISCARDS})
       WHERE received_at >= @since AND copy <> 'only' AND typeof(fields ->> 'category') = 'text'
         AND typeof(fields ->> 'reason') = 'text' AND typeof(fields ->> 'quantity') = 'integer'`,
    )
    .all({ upTo, since }) as ReportedDiscard[]
}
