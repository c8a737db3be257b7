import type { Database } from 'better-sqlite3'
import { addToGroup, groupBy } from '../../../lib/group-by'
import type { ReadLimits } from '../../../lib/protocol/items/signal'
import { text } from '../../../lib/protocol/json-value'
import { isOfBrowser } from '../../../lib/protocol/trace/page-load'
import type { SegmentSpan } from '../../../lib/protocol/trace/segment'
import { httpStatusOf, isErrorStatus } from '../../../lib/protocol/trace/span-status'
import type { VisitDetail, VisitRow } from '../../../lib/wire/visits'
import { VISITS_MINUTES } from '../../../lib/wire/visits'
import { prepareOnce } from '../../runtime/database'
import { type DeliveryStatuses, journalHead, readDeliveryStatuses, readSubmissionRow } from '../../spool/local'
import { hourEnd } from '../lists/read-error-groups'
import { SIGNAL_COLUMNS, type StoredSignal } from '../lists/read-signals'
import { visitSpans } from '../traces/choose-duplicate-span'
import { readSpanCounts } from '../traces/span-ids'
import { APART, type GatheredVisit, type VisitError, type VisitSegment } from './gather-visits'
import { type GatheredHour, MOST_PAGES, pagesOf, reportedOf, toPage } from './read-visits'
import {
  errorEntry,
  flattened,
  folded,
  logEntry,
  lostRow,
  requestEntry,
  serverEntry,
  summaryOf,
  type VisitEntry,
  type VisitRequest,
} from './visit-rows'

/** Rows of one page. */
export const MOST_ROWS_OF_PAGE = 50
/** Read for one page, of all its traces. */
export const MOST_LOGS = 200
export const MOST_SPANS = 5000
/** A record counts as this many spans at least: reading it takes as long. */
export const SPANS_PER_RECORD = 20

/** One visit with its pages and what happened in each. @returns `null` when the last hour has no such visit */
export function readVisit(
  db: Database,
  { hour, sizeLimits }: { readonly hour: GatheredHour; readonly sizeLimits: ReadLimits },
  id: string,
  nowMs: number | null,
): VisitDetail | null {
  const { visits, apart } = hour.read(db, nowMs, true)
  const visit = id === APART ? apart : visits.find((one) => one.id === id)
  if (visit === undefined) return null
  const all = pagesOf(visit)
  const seqs = [...visit.segments, ...visit.errors].map(({ seq }) => seq)
  const context: VisitContext = {
    visit,
    statuses: readDeliveryStatuses(db, seqs),
    newGroups: readNewGroups(db, visit.errors, hourEnd(db, nowMs)),
    sizeLimits,
  }
  const { parts, elsewhere } = divide(visit, shownPages(id, all))
  return {
    journal: journalHead(db),
    pages: parts.map((part) => {
      const { page, summary, errors } = part
      const { rows, isPart } = rowsOfPage(db, part, context)
      return {
        ...toPage(page, errors.length),
        ...summary,
        deliveryStatus: context.statuses(page.seq).of(page.item),
        rows: rows.slice(0, MOST_ROWS_OF_PAGE),
        hiddenRows: Math.max(0, rows.length - MOST_ROWS_OF_PAGE),
        isPart,
      }
    }),
    pageCount: all.length,
    rest: [
      ...flattened(elsewhere.map((error) => errorEntry(error, context.newGroups, context.statuses))),
      ...reportedOf(visit.reports).map(lostRow),
    ].slice(0, MOST_ROWS_OF_PAGE),
  }
}

interface VisitContext {
  readonly visit: GatheredVisit
  readonly statuses: (seq: number) => DeliveryStatuses
  /** Hashes of groups that were first seen in the last hour. */
  readonly newGroups: ReadonlySet<string>
  readonly sizeLimits: ReadLimits
}

type ShownPage = Pick<PagePart, 'page' | 'summary'>

/** The newest pages by start. Outside visits, of repeated ones the newest that failed, else the newest. */
function shownPages(id: string, all: readonly VisitSegment[]): readonly ShownPage[] {
  const groups = id === APART ? folded(all) : all.map((page) => [page] as const)
  return groups
    .map((alike): ShownPage => {
      const failing = alike.findLast(({ status }) => isErrorStatus(status))
      return { page: failing ?? alike.at(-1) ?? alike[0], summary: summaryOf(alike, failing) }
    })
    .sort((one, other) => one.page.startUs - other.page.startUs)
    .slice(-MOST_PAGES)
}

/** A page, with its trace and those that began while it was shown. */
interface PagePart {
  readonly page: VisitSegment
  /** Of the repeated ones that it stands for. */
  readonly summary: ReturnType<typeof summaryOf>
  readonly traces: ReadonlySet<string>
  /** Those of its traces, and those without a known trace that happened while it was shown. */
  readonly errors: readonly VisitError[]
  /** Of several pages in one trace, each has the time until the next; the first one also has what was before it. */
  readonly isInside: (startUs: number) => boolean
}

interface DividedVisit {
  readonly parts: readonly PagePart[]
  /** Errors of no page: before the first one, or outside visits. */
  readonly elsewhere: readonly VisitError[]
}

/** @param shown by start */
function divide(visit: GatheredVisit, shown: readonly ShownPage[]): DividedVisit {
  const pages = shown.map(({ page }) => page)
  const pageTraces = new Set(pages.map(({ traceId }) => traceId))
  const starts = new Map<string, number>()
  for (const { traceId, startUs } of visit.segments)
    if (!pageTraces.has(traceId)) starts.set(traceId, Math.min(startUs, starts.get(traceId) ?? startUs))
  const indexAt = (us: number): number => pages.findLastIndex(({ startUs }) => startUs <= us)
  const others = groupBy(starts, ([, startUs]) => Math.max(0, indexAt(startUs)))
  const known = new Set([...pageTraces, ...(visit.id === APART ? [] : starts.keys())])
  const byTime = groupBy(visit.errors, ({ traceId, timestampUs }) => {
    if (traceId !== null && known.has(traceId)) return null
    return visit.id === APART ? -1 : indexAt(timestampUs)
  })
  const parts = shown.map(({ page, summary }, index) => {
    const ofTrace = pages.filter(({ traceId }) => traceId === page.traceId)
    const at = ofTrace.indexOf(page)
    const from = at === 0 ? Number.NEGATIVE_INFINITY : page.startUs
    const until = ofTrace[at + 1]?.startUs ?? Number.POSITIVE_INFINITY
    const later = visit.id === APART ? [] : (others.get(index) ?? [])
    const traces = new Set([page.traceId, ...later.map(([traceId]) => traceId)])
    const isInside = (startUs: number): boolean => startUs >= from && startUs < until
    const ofTraces = visit.errors.filter((one) => traces.has(one.traceId ?? '') && isInside(one.timestampUs))
    return { page, summary, traces, errors: [...ofTraces, ...(byTime.get(index) ?? [])], isInside }
  })
  return { parts, elsewhere: byTime.get(-1) ?? [] }
}

/** Requests with what servers did below them, other segments, logs and errors, by time. */
function rowsOfPage(
  db: Database,
  { page, traces, errors, isInside }: PagePart,
  { visit, statuses, newGroups, sizeLimits }: VisitContext,
): { readonly rows: readonly VisitRow[]; readonly isPart: boolean } {
  const segments = visit.segments.filter(({ traceId, startUs }) => traces.has(traceId) && isInside(startUs))
  const servers = segments.filter((one) => one.segmentId !== page.segmentId && !isOfBrowser(one))
  const browsers = new Set(segments.filter(isOfBrowser).map(({ service }) => service))
  const { requests, isPart } = readRequests(db, traces, browsers, sizeLimits)
  const spanCounts = new Map(
    [...groupBy(servers, ({ traceId }) => traceId)].flatMap(([traceId, ofTrace]) => [
      ...readSpanCounts(db, traceId, new Set(ofTrace.map(({ segmentId }) => segmentId))),
    ]),
  )
  const top: VisitEntry[] = []
  const entryOfRequest = new Map<string, VisitEntry>()
  for (const alike of folded(requests.filter(({ startUs }) => isInside(startUs)))) {
    const entry = requestEntry(alike)
    top.push(entry)
    for (const { spanId } of alike) entryOfRequest.set(spanId, entry)
  }
  const placeOf = ({ parentSpanId }: VisitSegment): VisitEntry[] => entryOfRequest.get(parentSpanId ?? '')?.below ?? top
  const places = new Map<VisitEntry[], VisitSegment[]>()
  for (const server of servers) addToGroup(places, placeOf(server), server)
  for (const [place, inside] of places)
    for (const alike of folded(inside)) place.push(serverEntry(alike, spanCounts, statuses))
  const moments = [
    ...errors.map((error) => errorEntry(error, newGroups, statuses)),
    ...readLogs(db, traces).filter(({ startUs }) => isInside(startUs)),
  ]
  for (const moment of moments) {
    const server = servers.find(
      ({ service, startUs, endUs }) =>
        service === moment.row.service && startUs <= moment.startUs && moment.startUs <= endUs,
    )
    const place = server === undefined ? top : placeOf(server)
    place.push(moment)
  }
  return { rows: flattened(top), isPart }
}

/** The calls of browsers in these traces: spans of these services with the op `http.client`, each once. */
function readRequests(
  db: Database,
  traces: ReadonlySet<string>,
  services: ReadonlySet<string>,
  sizeLimits: ReadLimits,
): { readonly requests: readonly VisitRequest[]; readonly isPart: boolean } {
  const found = new Map<string, VisitRequest>()
  const records = services.size === 0 ? [] : prepareOnce(db, RECORDS).all(JSON.stringify([...traces]))
  let left = MOST_SPANS
  let isPart = false
  for (const { seq, spans } of records as readonly { readonly seq: number; readonly spans: number }[]) {
    const cost = Math.max(SPANS_PER_RECORD, spans)
    isPart ||= cost > left
    const record = cost > left ? null : readSubmissionRow(db, seq)
    if (record === null) continue
    left -= cost
    visitSpans(record, traces, sizeLimits, ({ span }) => {
      const { traceId, spanId, op, service, status, startUs, endUs, attributes } = span
      const key = `${traceId} ${spanId}`
      if (op !== 'http.client' || !services.has(service) || found.has(key)) return
      const [name, httpStatus] = [requestName(span), httpStatusOf(attributes)]
      found.set(key, { traceId, spanId, name, op, service, status, httpStatus, startUs, endUs })
    })
  }
  return { requests: [...found.values()], isPart }
}

/** A streamed span names a call by its host alone; its address is an attribute. */
function requestName({ name, attributes }: Pick<SegmentSpan, 'name' | 'attributes'>): string {
  const [host, address] = [text(attributes['url.domain']), text(attributes['url.full'])]
  if (host === null || address === null || !name.endsWith(` ${host}`) || !URL.canParse(address)) return name
  return name + new URL(address).pathname
}

function readLogs(db: Database, traces: ReadonlySet<string>): readonly VisitEntry[] {
  const logs = prepareOnce(db, LOGS).all(JSON.stringify([...traces])) as StoredSignal[]
  const statuses = readDeliveryStatuses(
    db,
    logs.map(({ seq }) => seq),
  )
  return logs.map((log) => logEntry(log, statuses))
}

function readNewGroups(db: Database, errors: readonly VisitError[], nowMs: number): ReadonlySet<string> {
  const hashes = JSON.stringify([...new Set(errors.map(({ groupHash }) => groupHash))])
  const since = (nowMs - VISITS_MINUTES * 60_000) * 1000
  return new Set(prepareOnce(db, NEW_OF).pluck().all(hashes, since) as string[])
}

const OF_TRACES = 'trace_id IN (SELECT value FROM json_each(?))'
/** With the spans of all traces in the record: all of them are parsed. Relayed records come before copies. */
const RECORDS = `SELECT seq, (SELECT sum(span_count) FROM trace_records a WHERE a.seq = r.seq) AS spans
  FROM trace_records r WHERE ${OF_TRACES} AND span_count > 0 GROUP BY seq ORDER BY min(is_copy), seq`
const LOGS = `SELECT ${SIGNAL_COLUMNS} FROM signals WHERE ${OF_TRACES} AND kind = 'log' ORDER BY timestamp_us LIMIT ${MOST_LOGS}`
const NEW_OF = 'SELECT hash FROM error_groups WHERE hash IN (SELECT value FROM json_each(?)) AND first_us >= ?'
