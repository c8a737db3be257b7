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

interface Repeatable {
  readonly service: string
  readonly op: string | null
  readonly name: string
}

type Alike<Row> = readonly [Row, ...Row[]]

/** Lists of alike rows: repeated ones together, others alone. */
export function folded<Row extends Repeatable>(rows: readonly Row[]): readonly Alike<Row>[] {
  const byName = new Map<string, [Row, ...Row[]]>()
  for (const row of rows) {
    const key = `${row.service}\n${row.op ?? ''}\n${normaliseName(row.name)}`
    const alike = byName.get(key)
    if (alike === undefined) byName.set(key, [row])
    else alike.push(row)
  }
  return [...byName.values()].flatMap((alike): readonly Alike<Row>[] =>
    alike.length < FOLDED_FROM ? alike.map((one) => [one] as const) : [alike],
  )
}

interface Spanning {
  readonly startUs: number
  readonly endUs: number
}

const timesOf = (alike: Alike<Spanning>) => ({
  startUs: Math.min(...alike.map(({ startUs }) => startUs)),
  endUs: Math.max(...alike.map(({ endUs }) => endUs)),
  count: alike.length,
  slowestUs: Math.max(...alike.map(({ startUs, endUs }) => endUs - startUs)),
})

/** @param alike of several, the first one is linked */
export function requestEntry(alike: Alike<VisitRequest>): VisitEntry {
  const [{ traceId, spanId, name, op, service }] = alike
  const failing = alike.find(({ status, httpStatus }) => isErrorStatus(status) || (httpStatus ?? 0) >= 400)
  const row: VisitRow = {
    ...NOTHING,
    kind: 'request',
    key: `request ${spanId}`,
    traceId,
    spanId: failing?.spanId ?? spanId,
    name: alike.length > 1 ? normaliseName(name) : name,
    op,
    service,
    ...timesOf(alike),
    failed: failing !== undefined,
    httpStatus: (failing ?? alike[0]).httpStatus,
  }
  return { row, startUs: row.startUs ?? 0, below: [] }
}

/** @param spanCounts by segment id, each with the segment itself */
export function serverEntry(
  alike: Alike<VisitSegment>,
  spanCounts: ReadonlyMap<string, number>,
  statuses: Statuses,
): VisitEntry {
  const [{ traceId, segmentId, name, op, service, seq, item }] = alike
  const failing = alike.find(({ status }) => isErrorStatus(status))
  const row: VisitRow = {
    ...NOTHING,
    kind: 'server',
    key: `server ${segmentId}`,
    traceId,
    spanId: failing?.segmentId ?? segmentId,
    name: alike.length > 1 ? normaliseName(name) : name,
    op,
    service,
    ...timesOf(alike),
    failed: failing !== undefined,
    spanCount: alike.reduce((sum, one) => sum + Math.max(0, (spanCounts.get(one.segmentId) ?? 1) - 1), 0),
    deliveryStatus: statuses(failing?.seq ?? seq).of(failing?.item ?? item),
  }
  return { row, startUs: row.startUs ?? 0, below: [] }
}

/** @param newGroups hashes of groups that were first seen in the last hour */
export function errorEntry(error: VisitError, newGroups: ReadonlySet<string>, statuses: Statuses): VisitEntry {
  const { eventId, traceId, title, level, service, handled, groupHash, timestampUs, seq, item } = error
  const row: VisitRow = {
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
  }
  return { row, startUs: timestampUs, below: [] }
}

export function logEntry(log: StoredSignal, statuses: Statuses): VisitEntry {
  const row: VisitRow = {
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
  }
  return { row, startUs: log.timestampUs, below: [] }
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
