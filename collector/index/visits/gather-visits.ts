import type { Database } from 'better-sqlite3'
import { isOfBrowser } from '../../../lib/protocol/trace/page-load'
import { prepareOnce } from '../../runtime/database'
import { type LinkedTrace, VisitRoots } from './visit-roots'

/** Rows of the last hour that are read, the newest first. */
export const MOST_SEGMENTS = 10_000
export const MOST_EVENTS = 2000
export const MOST_REPORTS = 1000

/** The key of the record of a row, and when it arrived. */
interface OfRecord {
  /** 1: sent by Waystation's own app. */
  readonly own: number
  readonly seq: number
  readonly item: number
  readonly journal: number
  readonly receivedAt: number
  /** `page:ID`, `session:ID` or `replay:ID`; `null` without one. */
  readonly key: string | null
}

export interface VisitSegment extends OfRecord {
  readonly traceId: string
  readonly segmentId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly op: string | null
  readonly status: string | null
  readonly startUs: number
  readonly endUs: number
  readonly service: string
  readonly sdk: string | null
  readonly release: string | null
  readonly previousTrace: string | null
}

export interface VisitError extends OfRecord {
  readonly eventId: string
  readonly traceId: string | null
  readonly title: string
  readonly level: string
  readonly service: string
  readonly handled: number | null
  readonly groupHash: string
  readonly timestampUs: number
}

/** A session or an entry of a client report; only with a page header. */
export interface VisitReport extends OfRecord {
  readonly kind: 'client_report' | 'session'
  readonly category: unknown
  readonly reason: unknown
  readonly quantity: unknown
}

/** A visit before it is described; segments and errors are of browsers and of the servers in their traces. */
export interface GatheredVisit {
  readonly id: string
  readonly segments: readonly VisitSegment[]
  readonly errors: readonly VisitError[]
  readonly reports: readonly VisitReport[]
  readonly journal: number
}

export interface GatheredVisits {
  /** The newest activity first. */
  readonly visits: readonly GatheredVisit[]
  /** Rows that belong to no visit. */
  readonly apart: GatheredVisit
  /** True when there are more segments since then than are read. */
  readonly isPart: boolean
}

export const APART = 'apart'

/** Groups what arrived since a time by visit, without own telemetry. @param since ms since the epoch */
export function gatherVisits(db: Database, since: number): GatheredVisits {
  const segments = takeSince<VisitSegment>(prepareOnce(db, SEGMENTS).iterate(), since)
  const errors = takeSince<VisitError>(prepareOnce(db, ERRORS).iterate(), since)
  const reports = takeSince<VisitReport>(prepareOnce(db, REPORTS).iterate(), since)
  const known = linkedTraces(segments, errors)
  const earlier = prepareOnce(db, EARLIER)
  const roots = new VisitRoots((id) => known.get(id) ?? firstOfBrowser(earlier.iterate(id)))
  // The earliest first, so that a visit of more links than are followed is always divided at the same trace.
  const inOrder = [...known].sort(([, one], [, other]) => one.startUs - other.startUs)
  const visitIds = new Map(inOrder.map(([traceId]) => [traceId, roots.visitOf(traceId)]))
  const gathered = new Map<string, { segments: VisitSegment[]; errors: VisitError[]; reports: VisitReport[] }>()
  const of = (id: string | null) => {
    const visitId = id ?? APART
    const visit = gathered.get(visitId) ?? { segments: [], errors: [], reports: [] }
    gathered.set(visitId, visit)
    return visit
  }
  for (const segment of segments) of(visitIds.get(segment.traceId) ?? null).segments.push(segment)
  for (const error of errors) of(visitIds.get(error.traceId ?? '') ?? keyOfError(error)).errors.push(error)
  for (const report of reports) of(report.key).reports.push(report)
  const all = [...gathered].map(([id, rows]) => ({ id, ...rows, journal: newestOf(rows) }))
  const apart = all.find(({ id }) => id === APART)
  return {
    visits: all.filter((visit) => visit !== apart).sort((one, other) => other.journal - one.journal),
    apart: apart ?? { id: APART, segments: [], errors: [], reports: [], journal: 0 },
    isPart: isBeyond(db, since),
  }
}

/** A trace that a link names and that arrived before the time. @param rows its segments by start */
function firstOfBrowser(rows: IterableIterator<unknown>): LinkedTrace | null {
  for (const row of rows as IterableIterator<EarlierSegment>) if (isOfBrowser(row)) return row
  return null
}

type EarlierSegment = LinkedTrace & Pick<VisitSegment, 'service' | 'op' | 'name' | 'sdk'>

/** An error of a browser without a trace that is known. */
const keyOfError = ({ service, key }: VisitError): string | null => (service === 'browser' ? key : null)

function takeSince<Row extends OfRecord>(rows: IterableIterator<unknown>, since: number): readonly Row[] {
  const taken: Row[] = []
  for (const row of rows as IterableIterator<Row>) {
    if (row.receivedAt < since) break
    if (row.own === 0) taken.push(row)
  }
  return taken
}

function newestOf(rows: { readonly [Kind in 'segments' | 'errors' | 'reports']: readonly OfRecord[] }): number {
  // Each list has the newest first.
  return Math.max(...[rows.segments[0], rows.errors[0], rows.reports[0]].map((row) => row?.journal ?? 0))
}

const STRENGTH = ['replay', 'session', 'page']
const strengthOf = (key: string | null): number => (key === null ? -1 : STRENGTH.indexOf(key.split(':', 1)[0] ?? ''))

/** The traces of browsers; of several keys the page header wins, then the session. */
function linkedTraces(
  segments: readonly VisitSegment[],
  errors: readonly VisitError[],
): ReadonlyMap<string, LinkedTrace> {
  const known = new Map<string, LinkedTrace>()
  const note = (traceId: string, found: LinkedTrace): void => {
    const before = known.get(traceId)
    if (before === undefined) known.set(traceId, found)
    else
      known.set(traceId, {
        key: strengthOf(found.key) > strengthOf(before.key) ? found.key : before.key,
        previous: before.previous ?? found.previous,
        startUs: Math.min(before.startUs, found.startUs),
      })
  }
  for (const segment of segments)
    if (isOfBrowser(segment))
      note(segment.traceId, { key: segment.key, previous: segment.previousTrace, startUs: segment.startUs })
  for (const { traceId, service, key, timestampUs } of errors)
    if (traceId !== null && service === 'browser') note(traceId, { key, previous: null, startUs: timestampUs })
  return known
}

const KEY = `CASE WHEN e.page IS NULL THEN e.visit ELSE 'page:' || e.page END AS key`

const SEGMENTS = `SELECT s.trace_id AS traceId, s.segment_id AS segmentId, s.parent_span_id AS parentSpanId, s.name, s.op, s.status,
    s.start_us AS startUs, s.end_us AS endUs, s.service, s.sdk, s.release, s.previous_trace AS previousTrace, s.seq, s.item,
    e.journal, e.received_at AS receivedAt, ${KEY}, s.own
  FROM segments s INDEXED BY segments_newest CROSS JOIN envelopes e ON e.seq = s.seq
  ORDER BY s.list_position DESC LIMIT ${MOST_SEGMENTS}`
const ERRORS = `SELECT v.event_id AS eventId, v.trace_id AS traceId, v.title, v.level, v.service, v.handled, v.group_hash AS groupHash,
    v.timestamp_us AS timestampUs, v.seq, v.item, v.journal, v.received_at AS receivedAt, ${KEY}, e.own
  FROM events v INDEXED BY events_newest CROSS JOIN envelopes e ON e.seq = v.seq
  ORDER BY v.journal DESC, v.event_id DESC LIMIT ${MOST_EVENTS}`
const reportsOf = (kind: VisitReport['kind']): string =>
  `SELECT * FROM (SELECT g.kind, CASE WHEN json_valid(g.fields) THEN g.fields END AS fields, g.seq, g.item, g.journal, g.received_at, g.copy,
      e.page, e.own FROM signals g INDEXED BY signals_newest CROSS JOIN envelopes e ON e.seq = g.seq
    WHERE g.kind = '${kind}' ORDER BY g.journal DESC LIMIT ${MOST_REPORTS}) WHERE copy <> 'only' AND page IS NOT NULL`
const REPORTS = `SELECT kind, fields ->> 'category' AS category, fields ->> 'reason' AS reason, fields ->> 'quantity' AS quantity,
    seq, item, journal, received_at AS receivedAt, 'page:' || page AS key, own
  FROM (${reportsOf('client_report')} UNION ALL ${reportsOf('session')}) ORDER BY journal DESC LIMIT ${MOST_REPORTS}`

/** Whether more segments than are read arrived since the time. */
const isBeyond = (db: Database, since: number): boolean => Number(prepareOnce(db, BEYOND).pluck().get() ?? 0) >= since
const BEYOND = `SELECT e.received_at FROM segments s INDEXED BY segments_newest CROSS JOIN envelopes e ON e.seq = s.seq
  ORDER BY s.list_position DESC LIMIT 1 OFFSET ${MOST_SEGMENTS}`
const EARLIER = `SELECT ${KEY}, s.previous_trace AS previous, s.start_us AS startUs, s.service, s.op, s.name, s.sdk
  FROM segments s CROSS JOIN envelopes e ON e.seq = s.seq WHERE s.trace_id = ? ORDER BY s.start_us`
