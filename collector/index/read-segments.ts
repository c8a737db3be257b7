import type { Database } from 'better-sqlite3'
import { hasTokens } from '../../lib/protocol/search-tokens'
import type { ListPosition, PageRequest } from '../../lib/wire/list-position'
import type { ListedSegment, Segment, SegmentDetail, SegmentsPage } from '../../lib/wire/trace'
import { type ListedTable, scanByTerms } from './list-by-terms'
import type { ListFilter } from './list-filter'
import {
  fillPage,
  hasFields,
  isWithin,
  MAX_ROWS_READ,
  numberFromPosition,
  positionFromNumber,
  type Scanned,
  SLOTS,
} from './list-page'
import { journalHead } from './read-journal'
import { readDeliveryStatuses } from './read-outcomes'
import { isOfDuration, statusOf } from './terms-traces'
import { countSpansOf } from './trace-spans'

export const SEGMENTS_LISTED: ListedTable = {
  name: 'segments',
  terms: 'segment_terms',
  columns: `list_position AS listPosition, trace_id AS traceId, segment_id AS segmentId, parent_span_id AS parentSpanId, name, op,
    status, start_us AS startUs, end_us AS endUs, lifecycle, service, environment, release, sdk, stamp, seq, item, copy`,
}
const { columns } = SEGMENTS_LISTED

type SegmentRow = Omit<Segment, 'spanCount' | 'receivedAt' | 'digestedAt' | 'relayedAt' | 'deliveryStatus'> & {
  readonly listPosition: number
  readonly stamp: string | null
}

/** Segments, newest first: by the submission that is shown of each. */
export function readSegments(
  db: Database,
  filter: ListFilter,
  position: ListPosition,
  page: PageRequest,
): SegmentsPage {
  const scanned =
    filter.trace === undefined
      ? scanByTerms<SegmentRow>(db, SEGMENTS_LISTED, filter, position)
      : scanTrace(db, filter.trace, position)
  const found = fillPage(scanned, page, (row) => matches(row, filter))
  return { segments: listed(db, found.rows), next: found.next, journal: journalHead(db) }
}

/** One segment; `null` where no record that is kept tells of it. */
export function readSegment(db: Database, traceId: string, segmentId: string): SegmentDetail | null {
  const row = db
    .prepare(`SELECT ${columns} FROM segments WHERE trace_id = ? AND segment_id = ?`)
    .get(traceId, segmentId) as SegmentRow | undefined
  const [segment] = row === undefined ? [] : listed(db, [row])
  return segment === undefined ? null : { segment, journal: journalHead(db) }
}

/** The first segments of a trace, by start. */
export const readSegmentIds = (db: Database, traceId: string, most: number): readonly string[] =>
  db
    .prepare('SELECT segment_id FROM segments WHERE trace_id = ? ORDER BY start_us, segment_id LIMIT ?')
    .pluck()
    .all(traceId, most) as string[]

/** Some segments of a trace, by start. @param spans how many each has. */
export function readSegmentsOfTrace(
  db: Database,
  traceId: string,
  segmentIds: readonly string[],
  spans: ReadonlyMap<string, number>,
): Segment[] {
  const rows = db
    .prepare(
      `SELECT ${columns} FROM segments WHERE trace_id = ? AND segment_id IN (SELECT value FROM json_each(?))
       ORDER BY start_us, segment_id`,
    )
    .all(traceId, JSON.stringify(segmentIds)) as SegmentRow[]
  return toSegments(db, rows, (row) => ({ spanCount: spans.get(row.segmentId) ?? 0 }))
}

function* scanTrace(db: Database, traceId: string, position: ListPosition): Generator<Scanned<SegmentRow>> {
  const rows = db.prepare(OF_TRACE).iterate({ traceId, before: numberFromPosition(position) })
  for (const row of rows as IterableIterator<SegmentRow>) yield { position: positionFromNumber(row.listPosition), row }
}

export const OF_TRACE = `SELECT ${columns} FROM segments WHERE trace_id = @traceId AND list_position < @before
  ORDER BY list_position DESC LIMIT ${MAX_ROWS_READ + 1}`

const matches = (row: SegmentRow, filter: ListFilter): boolean =>
  hasFields(row, filter, ['op', 'name', 'environment', 'release', 'service', 'stamp', 'lifecycle']) &&
  (filter.trace === undefined || filter.trace === row.traceId) &&
  (filter.status === undefined || filter.status === statusOf(row.status)) &&
  isOfDuration(row.endUs - row.startUs, filter) &&
  isWithin(row.startUs, filter) &&
  (filter.text === undefined || hasTokens(filter.text, [row.name]))

/** With their places in the list, and how many spans each has, as the records of its trace tell. */
function listed(db: Database, rows: readonly SegmentRow[]): ListedSegment[] {
  const filter = new Map<string, Set<string>>()
  for (const { traceId, segmentId } of rows)
    filter.set(traceId, (filter.get(traceId) ?? new Set<string>()).add(segmentId))
  const spans = new Map([...filter].map(([traceId, ids]) => [traceId, countSpansOf(db, traceId, ids)]))
  return toSegments(db, rows, ({ traceId, segmentId, listPosition }) => ({
    spanCount: spans.get(traceId)?.get(segmentId) ?? 0,
    journal: Math.floor(listPosition / SLOTS),
  }))
}

interface Times {
  readonly seq: number
  readonly receivedAt: number
  readonly digestedAt: number
}

/** @param beside what of each is not in its row. */
function toSegments<Beside extends { readonly spanCount: number }>(
  db: Database,
  rows: readonly SegmentRow[],
  beside: (row: SegmentRow) => Beside,
): (Segment & Beside)[] {
  const seqs = rows.map((row) => row.seq)
  const deliveryStatuses = readDeliveryStatuses(db, seqs)
  const times = db
    .prepare(
      `SELECT seq, received_at AS receivedAt, digested_at AS digestedAt FROM envelopes
       WHERE seq IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify([...new Set(seqs)])) as Times[]
  const timesOf = new Map(times.map(({ seq, ...at }) => [seq, at]))
  return rows.flatMap((row) => {
    const { listPosition: _place, stamp: _stamp, ...segment } = row
    const at = timesOf.get(row.seq)
    // Rows of one record come and go together, also between two statements.
    if (at === undefined) return []
    const { relayedAt, of } = deliveryStatuses(row.seq)
    return [{ ...segment, ...at, ...beside(row), relayedAt, deliveryStatus: of(row.item) }]
  })
}
