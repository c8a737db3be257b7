import type { Database } from 'better-sqlite3'
import { groupBy } from '../../../lib/group-by'
import type { DeliveryStatusName } from '../../../lib/protocol/outcome'
import type { DeliveryStatus } from '../../../lib/wire/delivery-status'
import { boundsFor, fillPage } from '../../../lib/wire/fill-page'
import {
  hasFields,
  hasTexts,
  isOfDuration,
  isWithin,
  type ListFilter,
  matchesWhole,
  startsAs,
  traceHasStatus,
} from '../../../lib/wire/list-filter'
import type { ListPosition, PageRequest } from '../../../lib/wire/list-paging'
import type { TraceSummary, TracesPage } from '../../../lib/wire/trace'
import { worstDeliveryStatus } from '../../../lib/wire/worst-delivery-status'
import { DEAD_LETTER, journalHead } from '../../spool/local'
import { isFoundExactly } from '../rows/terms-traces'
import { TEXTS_OF_TRACE } from '../rows/write-traces'
import { POSITION_OF_TRACE } from '../traces/trace-position'
import { isOwn, type ListedTable, scanByTerms } from './list-by-terms'

type TraceRow = Omit<TraceSummary, 'services' | 'deliveryStatus'> & {
  readonly services: string
  readonly listPosition: number
  readonly own: number
}

export const TRACES_LISTED: ListedTable = {
  name: 'traces',
  terms: 'trace_terms',
  columns: `list_position AS listPosition, trace_id AS traceId, journal, received_at AS receivedAt, last_seq AS lastSeq,
    start_us AS startUs, max(0, end_us - start_us) AS durationUs, name, op, status, segment_count AS segmentCount,
    span_count AS spanCount, error_count AS errorCount, services, environment, release, copy, own`,
}

/** Traces, newest first, by their first submission: a trace that grows keeps its position. */
export function readTraces(db: Database, filter: ListFilter, position: ListPosition, page: PageRequest): TracesPage {
  const found = fillPage(
    scanByTerms<TraceRow>(db, TRACES_LISTED, filter, position),
    page,
    matchesWhole(filter, matcher(db, filter)),
    boundsFor(filter).rows,
  )
  return { traces: toSummaries(db, found.rows), next: found.next, journal: journalHead(db) }
}

function matcher(db: Database, { text }: ListFilter): (row: TraceRow, part: ListFilter) => boolean {
  const [isStamped, isOfPage, isOfProject] = (['stamp', 'page', 'project'] as const).map((field) => {
    const equal = db.prepare(`SELECT 1 FROM trace_records WHERE trace_id = ? AND ${field} = ? LIMIT 1`)
    const begun = db.prepare(`SELECT 1 FROM trace_records WHERE trace_id = ? AND substr(${field}, 1, ?) = ? LIMIT 1`)
    return ({ traceId }: TraceRow, part: ListFilter): boolean => {
      const [value, start] = [part[field], part.starts?.[field]]
      return (
        (value === undefined || equal.get(traceId, value) !== undefined) &&
        (start === undefined || begun.get(traceId, start.length, start) !== undefined)
      )
    }
  }) as [RecordCondition, RecordCondition, RecordCondition]
  const texts = db.prepare(TEXTS_OF_TRACE).pluck()
  const isFound = text !== undefined && isFoundExactly(text)
  return (row, part) =>
    isOwn(row, part) &&
    hasFields(row, part, ['op', 'name', 'environment', 'release']) &&
    (part.status === undefined || traceHasStatus(part.status, row)) &&
    hasService(row, part) &&
    isOfDuration(row.durationUs, part) &&
    isWithin(row.startUs, part) &&
    isStamped(row, part) &&
    isOfPage(row, part) &&
    isOfProject(row, part) &&
    // Reading the texts of a trace is slow: skip it when the terms are exact.
    ((isFound && part.text === text && part.phrases === undefined) ||
      hasTexts(part, () => [row.name, ...(texts.all(row) as string[])]))
}

type RecordCondition = (row: TraceRow, part: ListFilter) => boolean

const hasService = (row: TraceRow, { service, starts }: ListFilter): boolean =>
  (service === undefined || servicesOf(row).includes(service)) &&
  (starts?.service === undefined || servicesOf(row).some((one) => startsAs(one, starts.service)))

const servicesOf = ({ services }: TraceRow): string[] => JSON.parse(services) as string[]

export function readTraceSummary(db: Database, traceId: string): TraceSummary | null {
  const row = db
    .prepare(`SELECT ${TRACES_LISTED.columns} FROM traces WHERE list_position = ${POSITION_OF_TRACE}`)
    .get({ traceId }) as TraceRow | undefined
  return (row === undefined ? undefined : toSummaries(db, [row])[0]) ?? null
}

function toSummaries(db: Database, rows: readonly TraceRow[]): TraceSummary[] {
  const deliveryStatuses = readTraceDeliveryStatuses(
    db,
    rows.map((row) => row.traceId),
  )
  return rows.map(({ listPosition: _, own: _own, ...row }) => ({
    ...row,
    services: JSON.parse(row.services) as string[],
    deliveryStatus: deliveryStatuses.get(row.traceId) ?? { name: 'pending', reason: null },
  }))
}

interface TraceDeliveryStatusRow {
  readonly traceId: string
  readonly copy: number
  readonly outcome: DeliveryStatusName | null
  readonly reason: string | null
  readonly dead: number
}

/** The status of a trace is the worst status of its items. A request of OpenTelemetry names only its first trace. */
function readTraceDeliveryStatuses(db: Database, traceIds: readonly string[]): Map<string, DeliveryStatus> {
  const rows = db
    .prepare(
      `SELECT DISTINCT t.trace_id AS traceId, e.copy AS copy,
         coalesce(own.outcome, whole.outcome) AS outcome, coalesce(own.reason, whole.reason) AS reason,
         EXISTS (SELECT 1 FROM spool.dead_letters d WHERE d.seq = i.seq) AS dead
       FROM trace_records t CROSS JOIN items i ON i.seq = t.seq AND (i.trace_id = t.trace_id OR i.type = 'otlp_traces') JOIN envelopes e ON e.seq = i.seq
         LEFT JOIN spool.outcomes own ON own.seq = i.seq AND own.item = i.item
         LEFT JOIN spool.outcomes whole ON whole.seq = i.seq AND whole.item = -1
       WHERE t.trace_id IN (SELECT value FROM json_each(?)) AND i.type IN ('event', 'transaction', 'span', 'otlp_traces')`,
    )
    .all(JSON.stringify(traceIds)) as TraceDeliveryStatusRow[]
  const byTrace = groupBy(rows, ({ traceId }) => traceId)
  return new Map([...byTrace].map(([traceId, of]) => [traceId, worstDeliveryStatus(of.map(deliveryStatusOf))]))
}

function deliveryStatusOf({ copy, outcome, reason, dead }: TraceDeliveryStatusRow): DeliveryStatus {
  if (copy === 1) return { name: 'copy', reason }
  if (outcome !== null) return { name: outcome, reason }
  return dead === 1 ? DEAD_LETTER : { name: 'pending', reason: null }
}
