import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../../lib/protocol/items/signal'
import { pillOf } from '../../../lib/protocol/trace/span-pill'
import { httpStatusOf } from '../../../lib/protocol/trace/span-status'
import type { TraceSummary } from '../../../lib/wire/trace'
import {
  SPANS_PER_PIECE,
  SpanEncoder,
  TRACE_COLUMNS_VERSION,
  type TraceEnd,
  type TraceGap,
  type TraceSpan,
  type TraceSubmission,
} from '../../../lib/wire/trace-columns'
import {
  envelopeDeliveryStatus,
  NEVER_POSTED,
  readDeliveryStatuses,
  readEvicted,
  readPostSummaries,
} from '../../spool/local'
import { MAX_BREADCRUMBS, readBreadcrumbs } from '../lists/read-breadcrumbs'
import { readEventsOfTrace } from '../lists/read-events'
import { readNextTrace, readSegmentIds, readSegmentsOfTrace } from '../lists/read-segments'
import { readTraceSummary } from '../lists/read-traces'
import type { SpanOccurrence } from './choose-duplicate-span'
import { planTrace, type SerializedSpan, type TracePart, type TracePlan, TraceSpans } from './trace-spans'

/** Limits of one answer. Beyond `spans`, a segment's spans are read alone, when it is opened. */
export const COLUMN_LIMITS = { spans: 100_000, spansOfSegment: 1_000_000, segments: 100_000, submissions: 5000 }
export type ColumnLimits = typeof COLUMN_LIMITS

/** Entries of a list in the first line; the others follow in lines of their own. */
const FIRST_ENTRIES = 1000
/** Entries that are read at once. */
const ENTRIES_AT_ONCE = 200
/** Events whose breadcrumbs are read at once: one event may have a megabyte of them. */
const EVENTS_AT_ONCE = 10
/** The first spans are shown at once, so their line is short. */
const FIRST_SPANS = 1000

/** The texts of the lines in order; each `next` passes the connection to read with. */
type Lines = Generator<string, string, Database>
type LinesBetween<Result> = Generator<string, Result, Database>

/** @returns `null` when there is no such trace */
export function columnsOf(
  db: Database,
  traceId: string,
  part: TracePart,
  sizeLimits: ReadLimits,
  limits: ColumnLimits = COLUMN_LIMITS,
): Lines | null {
  // One read transaction: the trace may grow in between.
  return db.transaction(() => {
    const summary = readTraceSummary(db, traceId)
    if (summary === null) return null
    const plan = planTrace(db, traceId, summary.spanCount, part)
    const found = part.segmentId === null ? findLists(db, traceId, limits) : NO_LISTS
    const journal = Number(
      db.prepare('SELECT max(journal) FROM trace_records WHERE trace_id = ?').pluck().get(traceId) ?? 0,
    )
    const { evicted, oldest } = readEvicted(db)
    const evictedBefore = evicted > 0 ? oldest : null
    const next = part.segmentId === null ? readNextTrace(db, traceId) : null
    return lines({ summary, plan, part, journal, found, evictedBefore, next }, sizeLimits, limits)
  })()
}

interface Found {
  readonly segmentIds: readonly string[]
  readonly seqs: readonly number[]
  readonly records: number
}

const NO_LISTS: Found = { segmentIds: [], seqs: [], records: 0 }

/** The newest submissions: older ones change less often. */
function findLists(db: Database, traceId: string, limits: ColumnLimits): Found {
  const seqs = db
    .prepare('SELECT seq FROM trace_records WHERE trace_id = ? ORDER BY seq DESC LIMIT ?')
    .pluck()
    .all(traceId, limits.submissions) as number[]
  const records = Number(db.prepare('SELECT count(*) FROM trace_records WHERE trace_id = ?').pluck().get(traceId))
  return { segmentIds: readSegmentIds(db, traceId, limits.segments), seqs, records }
}

interface PlannedColumns {
  readonly summary: TraceSummary
  readonly plan: TracePlan
  readonly part: TracePart
  readonly journal: number
  readonly found: Found
  readonly evictedBefore: number | null
  readonly next: ReturnType<typeof readNextTrace>
}

function* lines(of: PlannedColumns, sizeLimits: ReadLimits, limits: ColumnLimits): Lines {
  const { summary, plan, part, found } = of
  const { traceId } = summary
  const readSegments = (db: Database, ids: readonly string[]) =>
    readSegmentsOfTrace(db, traceId, ids, plan.spansOfSegment)
  const readSeqs = (db: Database, seqs: readonly number[]) => readSubmissions(db, traceId, seqs)

  let db = yield `{"version":${TRACE_COLUMNS_VERSION},"summary":${JSON.stringify(summary)},"segments":[`
  db = yield* entries(db, found.segmentIds.slice(0, FIRST_ENTRIES), readSegments)
  db = yield '],"submissions":['
  db = yield* entries(db, found.seqs.slice(0, FIRST_ENTRIES), readSeqs)
  const errors = part.segmentId === null ? readEventsOfTrace(db, traceId) : []
  db = yield `],"errors":${JSON.stringify(errors)},"breadcrumbs":[`
  const breadcrumbs = new Breadcrumbs(errors.map(({ eventId }) => eventId).sort())
  while (breadcrumbs.hasMore && breadcrumbs.count < FIRST_ENTRIES) {
    const isFirst = breadcrumbs.count === 0
    const next = breadcrumbs.next(db)
    db = yield (isFirst || next.length === 0 ? '' : ',') + next.map(jsonOf).join(',')
  }
  db = yield ']}\n'

  db = yield* further(db, 'segments', found.segmentIds, readSegments)
  db = yield* further(db, 'submissions', found.seqs, readSeqs)
  while (breadcrumbs.hasMore) db = yield line({ breadcrumbs: breadcrumbs.next(db) })

  const sent = { spans: 0, dropped: { attributes: 0, events: 0, links: 0 }, isCut: false }
  yield* spanLines(db, of, sizeLimits, limits, sent)
  const end: TraceEnd = {
    journal: of.journal,
    gaps: gapsOf(of, limits, sent, errors.length),
    spans: sent.spans,
    dropped: sent.dropped,
    ...(of.evictedBefore !== null && { evictedBefore: of.evictedBefore }),
    ...(of.next !== null && { next: of.next }),
  }
  return line({ end })
}

interface Sent {
  spans: number
  readonly dropped: { attributes: number; events: number; links: number }
  /** The limit was reached before the last record. */
  isCut: boolean
}

function* spanLines(
  given: Database,
  { summary, plan, part: { segmentId } }: PlannedColumns,
  sizeLimits: ReadLimits,
  limits: ColumnLimits,
  sent: Sent,
): LinesBetween<Database> {
  let db = given
  const spans = new TraceSpans(summary.traceId, plan, sizeLimits, toColumnSpan)
  const encoder = new SpanEncoder()
  const most = segmentId === null ? limits.spans : limits.spansOfSegment
  let gathered: ColumnSpan[] = []
  while (!spans.isDone || gathered.length > 0) {
    const size = Math.min(sent.spans === 0 ? FIRST_SPANS : SPANS_PER_PIECE, most - sent.spans)
    if (size === 0) {
      sent.isCut = true
      return db
    }
    if (gathered.length < size && !spans.isDone) {
      for (const one of spans.next(db)) if (segmentId === null || one.span.segmentId === segmentId) gathered.push(one)
      // Reading a record took time.
      db = yield ''
      continue
    }
    const piece = gathered.slice(0, size).sort(byStart)
    gathered = gathered.slice(size)
    for (const { dropped } of piece) {
      sent.dropped.attributes += dropped?.attributes ?? 0
      sent.dropped.events += dropped?.events ?? 0
      sent.dropped.links += dropped?.links ?? 0
    }
    sent.spans += piece.length
    const sentAgain = (span: TraceSpan): TraceSpan =>
      spans.isRepeated(span.spanId) ? { ...span, isRepeated: true } : span
    db = yield `${encoder.encode(piece.map(({ span }) => sentAgain(span)))}\n`
  }
  return db
}

function gapsOf(
  { plan, part: { segmentId }, summary, found }: PlannedColumns,
  limits: ColumnLimits,
  sent: Sent,
  errors: number,
): readonly TraceGap[] {
  const spans = segmentId === null ? plan.spans : (plan.spansOfSegment.get(segmentId) ?? 0)
  const all: readonly TraceGap[] = [
    {
      of: 'spans',
      missing: sent.isCut ? spans - sent.spans : 0,
      limit: segmentId === null ? limits.spans : limits.spansOfSegment,
    },
    ...(segmentId === null
      ? ([
          { of: 'segments', missing: summary.segmentCount - found.segmentIds.length, limit: limits.segments },
          { of: 'submissions', missing: found.records - found.seqs.length, limit: limits.submissions },
          { of: 'errors', missing: summary.errorCount - errors, limit: errors },
        ] as const)
      : []),
  ]
  return all.filter(({ missing }) => missing > 0)
}

const jsonOf = (value: object): string => JSON.stringify(value)
const line = (value: object): string => `${JSON.stringify(value)}\n`

/** Entries of a JSON list, read in parts. */
function* entries<Key>(
  given: Database,
  keys: readonly Key[],
  read: (db: Database, keys: readonly Key[]) => readonly object[],
): LinesBetween<Database> {
  let db = given
  // All entries of a part may have been evicted.
  let isFirst = true
  for (let at = 0; at < keys.length; at += ENTRIES_AT_ONCE) {
    const found = read(db, keys.slice(at, at + ENTRIES_AT_ONCE)).map(jsonOf)
    if (found.length === 0) continue
    db = yield (isFirst ? '' : ',') + found.join(',')
    isFirst = false
  }
  return db
}

function* further<Key>(
  given: Database,
  list: 'segments' | 'submissions',
  keys: readonly Key[],
  read: (db: Database, keys: readonly Key[]) => readonly object[],
): LinesBetween<Database> {
  let db = given
  for (let at = FIRST_ENTRIES; at < keys.length; at += ENTRIES_AT_ONCE)
    db = yield line({ [list]: read(db, keys.slice(at, at + ENTRIES_AT_ONCE)) })
  return db
}

/** The breadcrumbs of some events, a few events at a time. */
class Breadcrumbs {
  readonly #eventIds: readonly string[]
  #at = 0
  #count = 0

  constructor(eventIds: readonly string[]) {
    this.#eventIds = eventIds
  }

  get count(): number {
    return this.#count
  }

  get hasMore(): boolean {
    return this.#at < this.#eventIds.length && this.#count < MAX_BREADCRUMBS
  }

  next(db: Database): ReturnType<typeof readBreadcrumbs> {
    const eventIds = this.#eventIds.slice(this.#at, this.#at + EVENTS_AT_ONCE)
    const found = readBreadcrumbs(db, eventIds, MAX_BREADCRUMBS - this.#count)
    this.#at += EVENTS_AT_ONCE
    this.#count += found.length
    return found
  }
}

interface SubmissionOfTrace {
  readonly seq: number
  readonly journal: number
  readonly receivedAt: number
  readonly isCopy: number
  readonly page: string | null
  readonly items: number
  readonly bytes: number
}

function readSubmissions(db: Database, traceId: string, seqs: readonly number[]): readonly TraceSubmission[] {
  const rows = db
    .prepare(
      `SELECT seq, journal, received_at AS receivedAt, is_copy AS isCopy, page,
         (SELECT count(*) FROM items WHERE items.seq = trace_records.seq) AS items,
         -- Rows of an evicted submission are erased later than its record.
         coalesce((SELECT bytes FROM spool.submissions s WHERE s.seq = trace_records.seq), 0) AS bytes
       FROM trace_records WHERE trace_id = ? AND seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC`,
    )
    .all(traceId, JSON.stringify(seqs)) as SubmissionOfTrace[]
  const statuses = readDeliveryStatuses(db, seqs)
  const posts = readPostSummaries(db, seqs)
  return rows.map(({ items, isCopy, ...row }) => {
    const status = statuses(row.seq)
    return {
      ...row,
      copy: isCopy === 1,
      deliveryStatus: envelopeDeliveryStatus(status, items),
      relayedAt: status.relayedAt,
      ...(posts.get(row.seq) ?? NEVER_POSTED),
    }
  })
}

interface ColumnSpan extends SerializedSpan {
  readonly span: TraceSpan
  readonly dropped: TraceEnd['dropped'] | null
}

const toColumnSpan = ({ span, position, source }: SpanOccurrence): ColumnSpan => ({
  spanId: span.spanId,
  startUs: span.startUs,
  text: span.name,
  position,
  source,
  dropped: span.otel?.dropped ?? null,
  span: {
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    segmentId: span.segmentId,
    isSegment: span.isSegment,
    startUs: span.startUs,
    endUs: span.endUs,
    service: span.service,
    op: span.op,
    name: span.name,
    status: span.status,
    httpStatus: httpStatusOf(span.attributes),
    seq: source.seq,
    item: source.item,
    pill: pillOf(span.attributes) ?? undefined,
    isOpen: span.isOpen,
  },
})

const byStart = (one: ColumnSpan, other: ColumnSpan): number =>
  one.startUs - other.startUs ||
  one.source.seq - other.source.seq ||
  one.source.item - other.source.item ||
  one.position - other.position
