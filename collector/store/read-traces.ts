import type { Database } from 'better-sqlite3'
import type { FateName } from '../../lib/protocol/outcome'
import { type Fate, worstFate } from '../../lib/wire/fate'
import type { Segment, Span, TraceDetail, TraceSummary, TracesPage } from '../../lib/wire/trace'
import { cutPage, type ListPlace, type PageRequest } from './page'
import { readBreadcrumbs, readEventsOfTrace } from './read-events'
import { readFates } from './read-fates'
import { journalHead } from './read-journal'

/** One answer carries so many spans of a trace, and so many segments; a longer one says that it was cut. */
export const LARGEST_TRACE = 20_000
export const MOST_SEGMENTS = 5000

type TraceRow = Omit<TraceSummary, 'services' | 'fate'> & { readonly services: string }

const TRACE = `trace_id AS traceId, journal, received_at AS receivedAt, last_seq AS lastSeq, start_us AS startUs,
  max(0, end_us - start_us) AS durationUs, name, op, status, segment_count AS segmentCount, span_count AS spanCount,
  error_count AS errorCount, services, environment, release, copy`

/** Traces, newest first: by the first submission that named them, so that a trace which grows stays where it is. */
export function readTraces(db: Database, place: ListPlace, page: PageRequest): TracesPage {
  const rows = db
    .prepare(
      `SELECT ${TRACE} FROM traces WHERE journal < @journal OR (journal = @journal AND trace_id > @id)
       ORDER BY journal DESC, trace_id LIMIT @limit`,
    )
    .all({ ...place, limit: page.limit + 1 }) as TraceRow[]
  const cut = cutPage(rows, page.limit, (row) => ({ journal: row.journal, id: row.traceId }))
  return { traces: toSummaries(db, cut.rows), next: cut.next, journal: journalHead(db) }
}

/** A whole trace: browser, server and whoever else spoke, with its errors and their breadcrumbs. */
export function readTrace(db: Database, traceId: string): TraceDetail | null {
  const row = db.prepare(`SELECT ${TRACE} FROM traces WHERE trace_id = ?`).get(traceId) as TraceRow | undefined
  const [summary] = row === undefined ? [] : toSummaries(db, [row])
  if (summary === undefined) return null
  const spans = readSpans(db, traceId)
  const segments = readSegments(db, traceId)
  const errors = readEventsOfTrace(db, traceId)
  return {
    summary,
    segments: segments.slice(0, MOST_SEGMENTS),
    spans: spans.slice(0, LARGEST_TRACE),
    truncated: spans.length > LARGEST_TRACE || segments.length > MOST_SEGMENTS,
    errors,
    breadcrumbs: readBreadcrumbs(
      db,
      errors.map((error) => error.eventId),
    ),
    journal: journalHead(db),
  }
}

type SegmentRow = Omit<Segment, 'fate' | 'relayedAt'>

function readSegments(db: Database, traceId: string): Segment[] {
  const rows = db
    .prepare(
      `WITH counts AS MATERIALIZED (
         SELECT segment_id, count(*) AS spans FROM spans WHERE trace_id = @traceId AND segment_id IS NOT NULL GROUP BY segment_id
       )
       SELECT g.trace_id AS traceId, g.segment_id AS segmentId, parent_span_id AS parentSpanId, g.name, g.op, g.status,
         g.start_us AS startUs, g.end_us AS endUs, lifecycle, g.service, g.environment, g.release, g.sdk, g.seq, g.item, g.copy,
         coalesce(c.spans, 0) AS spanCount,
         s.received_at AS receivedAt, e.digested_at AS digestedAt
       FROM segments g JOIN spool.submissions s USING (seq) JOIN envelopes e USING (seq)
         LEFT JOIN counts c ON c.segment_id = g.segment_id
       WHERE g.trace_id = @traceId ORDER BY g.start_us, g.segment_id LIMIT ${MOST_SEGMENTS + 1}`,
    )
    .all({ traceId }) as SegmentRow[]
  const fates = readFates(
    db,
    rows.map((row) => row.seq),
  )
  return rows.map((row) => ({ ...row, relayedAt: fates(row.seq).relayedAt, fate: fates(row.seq).of(row.item) }))
}

interface SpanRow extends Omit<Span, 'isSegment' | 'attributes' | 'links'> {
  readonly isSegment: number
  readonly attributes: string
  readonly links: string
}

function readSpans(db: Database, traceId: string): Span[] {
  const rows = db
    .prepare(
      `SELECT span_id AS spanId, parent_span_id AS parentSpanId, segment_id AS segmentId, is_segment AS isSegment, name, op, status,
         origin, service, start_us AS startUs, end_us AS endUs, attributes, links, seq, item
       FROM spans WHERE trace_id = ? ORDER BY start_us, seq, item, place LIMIT ${LARGEST_TRACE + 1}`,
    )
    .all(traceId) as SpanRow[]
  return rows.map((row) => ({
    ...row,
    isSegment: row.isSegment === 1,
    attributes: JSON.parse(row.attributes) as Span['attributes'],
    links: JSON.parse(row.links) as Span['links'],
  }))
}

function toSummaries(db: Database, rows: readonly TraceRow[]): TraceSummary[] {
  const fates = readTraceFates(
    db,
    rows.map((row) => row.traceId),
  )
  return rows.map((row) => ({
    ...row,
    status: row.status,
    services: JSON.parse(row.services) as string[],
    fate: fates.get(row.traceId) ?? { name: 'pending', reason: null },
  }))
}

interface TraceFateRow {
  readonly traceId: string
  readonly copy: number
  readonly outcome: FateName | null
  readonly reason: string | null
}

/** A trace's fate is the worst of its items' that were read into it. */
function readTraceFates(db: Database, traceIds: readonly string[]): Map<string, Fate> {
  const rows = db
    .prepare(
      `SELECT DISTINCT i.trace_id AS traceId, e.copy AS copy,
         coalesce(own.outcome, whole.outcome) AS outcome, coalesce(own.reason, whole.reason) AS reason
       FROM items i JOIN envelopes e USING (seq)
         LEFT JOIN spool.outcomes own ON own.seq = i.seq AND own.item = i.item
         LEFT JOIN spool.outcomes whole ON whole.seq = i.seq AND whole.item = -1
       WHERE i.trace_id IN (SELECT value FROM json_each(?)) AND i.type IN ('event', 'transaction', 'span')`,
    )
    .all(JSON.stringify(traceIds)) as TraceFateRow[]
  const found = new Map<string, Fate[]>()
  for (const row of rows) {
    const name: FateName = row.copy === 1 ? 'copy' : (row.outcome ?? 'pending')
    found.set(row.traceId, [...(found.get(row.traceId) ?? []), { name, reason: row.reason }])
  }
  return new Map([...found].map(([traceId, fates]) => [traceId, worstFate(fates)]))
}
