import type { Database } from 'better-sqlite3'
import { boundsFor, fillPage, READ_BOUNDS, type Scanned } from '../../../lib/wire/fill-page'
import {
  hasFields,
  hasTexts,
  isOfDuration,
  isWithin,
  type ListFilter,
  matchesWhole,
  statusOf,
} from '../../../lib/wire/list-filter'
import type { ListPosition, PageRequest } from '../../../lib/wire/list-paging'
import type { ListedSegment, Segment, SegmentDetail, SegmentsPage, UsualDurations } from '../../../lib/wire/trace'
import type { TraceEnd } from '../../../lib/wire/trace-columns'
import { journalHead, readDeliveryStatuses } from '../../spool/local'
import { quoted } from '../rows/terms-index'
import { comparedKey, operationTerm } from '../rows/terms-traces'
import type { RecordSender } from '../rows/write-columns'
import { readSpanCounts } from '../traces/span-ids'
import { numberFromPosition, positionFromNumber, SLOTS } from '../traces/trace-position'
import { byTerms, isOwn, type ListedTable, scanByTerms } from './list-by-terms'

export const SEGMENTS_LISTED: ListedTable = {
  name: 'segments',
  terms: 'segment_terms',
  columns: `list_position AS listPosition, trace_id AS traceId, segment_id AS segmentId, parent_span_id AS parentSpanId, name, op,
    status, start_us AS startUs, end_us AS endUs, lifecycle, service, environment, release, sdk, stamp, seq, item, copy, own, page, project`,
}
const { columns } = SEGMENTS_LISTED

type SegmentRow = Omit<Segment, 'spanCount' | 'receivedAt' | 'digestedAt' | 'relayedAt' | 'deliveryStatus'> & {
  readonly listPosition: number
  readonly stamp: string | null
} & RecordSender

/** Segments, newest first, by the submission of the visible contribution. */
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
  const found = fillPage(scanned, page, matchesWhole(filter, matches), boundsFor(filter).rows)
  return { segments: listed(db, found.rows), next: found.next, journal: journalHead(db) }
}

/** @returns `null` when no record contains the segment. */
export function readSegment(db: Database, traceId: string, segmentId: string): SegmentDetail | null {
  const row = db
    .prepare(`SELECT ${columns} FROM segments WHERE trace_id = ? AND segment_id = ?`)
    .get(traceId, segmentId) as SegmentRow | undefined
  const [segment] = row === undefined ? [] : listed(db, [row])
  return segment === undefined ? null : { segment, journal: journalHead(db) }
}

/** A segment is compared with this many. */
export const COMPARED_SEGMENTS = 200

type ComparedRow = Pick<SegmentRow, 'listPosition' | 'startUs' | 'endUs'> & Parameters<typeof comparedKey>[0]

/** The durations of the newest other segments like one, the newest first. @returns `null` when it is not stored */
export function readUsual(db: Database, traceId: string, segmentId: string): UsualDurations | null {
  const given = db
    .prepare(`SELECT ${COMPARED.columns} FROM segments WHERE trace_id = ? AND segment_id = ?`)
    .get(traceId, segmentId) as ComparedRow | undefined
  if (given === undefined) return null
  const key = comparedKey(given)
  const match = quoted(operationTerm(given))
  const alike = db.prepare(ALIKE).all({ match, before: Number.MAX_SAFE_INTEGER, floor: 0 }) as ComparedRow[]
  const others = alike.filter((row) => row.listPosition !== given.listPosition && comparedKey(row) === key)
  return {
    durationsUs: others.slice(0, COMPARED_SEGMENTS).map(({ startUs, endUs }) => Math.max(0, endUs - startUs)),
    isCut: others.length > COMPARED_SEGMENTS,
  }
}

const COMPARED: ListedTable = {
  ...SEGMENTS_LISTED,
  columns: 'list_position AS listPosition, start_us AS startUs, end_us AS endUs, service, op, name, project, own',
}
/** Also the segment itself, and one that shows that there are more. */
const ALIKE = `${byTerms(COMPARED)} LIMIT ${COMPARED_SEGMENTS + 2}`

/** The ids of the first segments of a trace, by start. */
export const readSegmentIds = (db: Database, traceId: string, most: number): readonly string[] =>
  db
    .prepare('SELECT segment_id FROM segments WHERE trace_id = ? ORDER BY start_us, segment_id LIMIT ?')
    .pluck()
    .all(traceId, most) as string[]

/** The first segment whose SDK names this trace as that of the page before; `null` without one. */
export function readNextTrace(db: Database, traceId: string): TraceEnd['next'] | null {
  const next = db
    .prepare(
      `SELECT trace_id AS traceId, segment_id AS spanId FROM segments WHERE previous_trace = ? AND trace_id <> ?
       ORDER BY start_us, trace_id LIMIT 1`,
    )
    .get(traceId, traceId) as TraceEnd['next'] | undefined
  return next ?? null
}

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
  ORDER BY list_position DESC LIMIT ${READ_BOUNDS.rows + 1}`

const matches = (row: SegmentRow, part: ListFilter): boolean =>
  isOwn(row, part) &&
  hasFields(row, part, FIELDS) &&
  (part.trace === undefined || part.trace === row.traceId) &&
  (part.status === undefined || part.status === statusOf(row.status)) &&
  isOfDuration(row.endUs - row.startUs, part) &&
  isWithin(row.startUs, part) &&
  hasTexts(part, () => [row.name])

const FIELDS = ['op', 'name', 'environment', 'release', 'service', 'stamp', 'lifecycle', 'page', 'project'] as const

function listed(db: Database, rows: readonly SegmentRow[]): ListedSegment[] {
  const idsByTrace = new Map<string, Set<string>>()
  for (const { traceId, segmentId } of rows)
    idsByTrace.set(traceId, (idsByTrace.get(traceId) ?? new Set<string>()).add(segmentId))
  const spans = new Map([...idsByTrace].map(([traceId, ids]) => [traceId, readSpanCounts(db, traceId, ids)]))
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

function toSegments<Extra extends { readonly spanCount: number }>(
  db: Database,
  rows: readonly SegmentRow[],
  extraOf: (row: SegmentRow) => Extra,
): (Segment & Extra)[] {
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
    const { listPosition: _, stamp: _stamp, own: _own, page: _page, project: _project, ...segment } = row
    const at = timesOf.get(row.seq)
    // The record was evicted between two statements: its rows come and go together.
    if (at === undefined) return []
    const { relayedAt, of } = deliveryStatuses(row.seq)
    return [{ ...segment, ...at, ...extraOf(row), relayedAt, deliveryStatus: of(row.item) }]
  })
}
