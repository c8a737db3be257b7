import { groupBy } from '../../../lib/group-by'
import { operationKey } from '../../../lib/protocol/trace/operations'
import { normaliseName } from '../../../lib/protocol/trace/span-name'
import { isErrorStatus } from '../../../lib/protocol/trace/span-status'
import type { Visit, VisitRow } from '../../../lib/wire/visits'
import type { DeliveryStatuses } from '../../spool/local'
import type { StoredSignal } from '../lists/read-signals'
import type { VisitError, VisitSegment } from './gather-visits'

/** A row of a page with those below it. */
export interface VisitEntry {
  readonly row: VisitRow
  readonly startUs: number
  readonly below: VisitEntry[]
}

/** A call of the browser to a server. */
export interface VisitRequest {
  readonly traceId: string
  readonly spanId: string
  readonly name: string
  readonly op: string | null
  readonly service: string
  readonly status: string | null
  readonly httpStatus: number | null
  readonly startUs: number
  readonly endUs: number
}

type Statuses = (seq: number) => DeliveryStatuses

const NOTHING = {
  depth: 1,
  traceId: null,
  spanId: null,
  eventId: null,
  op: null,
  service: null,
  failed: false,
  level: null,
  count: 1,
  slowestUs: 0,
  spanCount: 0,
  httpStatus: null,
  isNew: false,
  handled: null,
  deliveryStatus: null,
} as const

/** This many requests or segments with one name become one row. */
const FOLDED_FROM = 3

type Alike<Row> = readonly [Row, ...Row[]]

/** Lists of rows of one operation: repeated ones together, others alone. */
export const folded = <Row extends Parameters<typeof operationKey>[0]>(rows: readonly Row[]): readonly Alike<Row>[] =>
  [...groupBy(rows, operationKey).values()].flatMap(([first, ...others]): readonly Alike<Row>[] => {
    if (first === undefined) return []
    const isRepeated = 1 + others.length >= FOLDED_FROM
    return isRepeated ? [[first, ...others]] : [first, ...others].map((one) => [one] as const)
  })

type Timed = Pick<VisitRequest, 'traceId' | 'name' | 'op' | 'service' | 'startUs' | 'endUs'>

/** The facts of a row about all requests or segments that it stands for. */
export const summaryOf = <One extends Timed>(alike: Alike<One>, failing: One | undefined) => ({
  name: alike.length > 1 ? normaliseName(alike[0].name) : alike[0].name,
  count: alike.length,
  slowestUs: Math.max(...alike.map(({ startUs, endUs }) => endUs - startUs)),
  failed: failing !== undefined,
})

/** The row of alike requests or segments. @param failing the first one that failed; it is linked */
function spanRow<One extends Timed>(
  kind: 'request' | 'server',
  alike: Alike<One>,
  idOf: (one: One) => string,
  failing: One | undefined,
): VisitRow {
  const [first] = alike
  const { traceId, op, service } = first
  return {
    ...NOTHING,
    kind,
    key: `${kind} ${idOf(first)}`,
    traceId,
    spanId: idOf(failing ?? first),
    op,
    service,
    startUs: Math.min(...alike.map(({ startUs }) => startUs)),
    endUs: Math.max(...alike.map(({ endUs }) => endUs)),
    ...summaryOf(alike, failing),
  }
}

const entryOf = (row: VisitRow): VisitEntry => ({ row, startUs: row.startUs ?? 0, below: [] })

/** @param alike of several, the first one that failed is linked, else the first one */
export function requestEntry(alike: Alike<VisitRequest>): VisitEntry {
  const failing = alike.find(({ status, httpStatus }) => isErrorStatus(status) || (httpStatus ?? 0) >= 400)
  const { httpStatus } = failing ?? alike[0]
  return entryOf({ ...spanRow('request', alike, ({ spanId }) => spanId, failing), httpStatus })
}

/** @param spanCounts by segment id, each with the segment itself */
export function serverEntry(
  alike: Alike<VisitSegment>,
  spanCounts: ReadonlyMap<string, number>,
  statuses: Statuses,
): VisitEntry {
  const failing = alike.find(({ status }) => isErrorStatus(status))
  const { seq, item } = failing ?? alike[0]
  return entryOf({
    ...spanRow('server', alike, ({ segmentId }) => segmentId, failing),
    spanCount: alike.reduce((sum, one) => sum + Math.max(0, (spanCounts.get(one.segmentId) ?? 1) - 1), 0),
    deliveryStatus: statuses(seq).of(item),
  })
}

/** @param newGroups hashes of groups that were first seen in the last hour */
export function errorEntry(error: VisitError, newGroups: ReadonlySet<string>, statuses: Statuses): VisitEntry {
  const { eventId, traceId, title, level, service, handled, groupHash, timestampUs, seq, item } = error
  return entryOf({
    ...NOTHING,
    kind: 'error',
    key: `error ${eventId}`,
    traceId,
    eventId,
    name: title,
    service,
    startUs: timestampUs,
    endUs: timestampUs,
    failed: true,
    level,
    isNew: newGroups.has(groupHash),
    handled: handled === null ? null : handled === 1,
    deliveryStatus: statuses(seq).of(item),
  })
}

export function logEntry(log: StoredSignal, statuses: Statuses): VisitEntry {
  return entryOf({
    ...NOTHING,
    kind: 'log',
    key: `log ${log.key}`,
    traceId: log.traceId,
    spanId: log.spanId,
    name: log.name,
    service: log.service,
    startUs: log.timestampUs,
    endUs: log.timestampUs,
    level: log.level,
    deliveryStatus: statuses(log.seq).of(log.item),
  })
}

/** A count of the client reports of a page. */
export const lostRow = ({ category, reason, quantity }: Visit['reported'][number]): VisitRow => ({
  ...NOTHING,
  kind: 'lost',
  key: `lost ${category} ${reason}`,
  name: reason,
  op: category,
  startUs: null,
  endUs: null,
  count: quantity,
})

/** Entries by time, each followed by those below it. */
export const flattened = (entries: readonly VisitEntry[], depth = 1): readonly VisitRow[] =>
  [...entries]
    .sort((one, other) => one.startUs - other.startUs)
    .flatMap(({ row, below }) => [{ ...row, depth }, ...flattened(below, depth + 1)])
