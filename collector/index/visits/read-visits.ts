import type { Database } from 'better-sqlite3'
import { browserOf } from '../../../lib/protocol/request'
import { isOfBrowser, isPageLoad } from '../../../lib/protocol/trace/page-load'
import { isErrorStatus } from '../../../lib/protocol/trace/span-status'
import { VISITS_MINUTES, type Visit, type VisitPage, type Visits } from '../../../lib/wire/visits'
import { worstDeliveryStatus } from '../../../lib/wire/worst-delivery-status'
import { type DeliveryStatuses, journalHead, readDeliveryStatuses, readUserAgent } from '../../spool/local'
import { hourEnd } from '../lists/read-error-groups'
import {
  type GatheredVisit,
  type GatheredVisits,
  gatherVisits,
  type VisitReport,
  type VisitSegment,
} from './gather-visits'

/** Pages of a visit in one answer, the newest. */
export const MOST_PAGES = 20
/** Details that are read this soon after a list show the same rows. */
const KEPT_MS = 1000

/** The visits that were gathered last: the list and the details of one moment are read from the same rows. */
export class GatheredHour {
  readonly #now: () => number
  #kept: { readonly gathered: GatheredVisits; readonly head: number; readonly at: number } | null = null

  /** @param now a monotonic clock, ms */
  constructor(now: () => number) {
    this.#now = now
  }

  /** @param nowMs `null` for the last hour of a run that is over @param mayBeOlder up to a second */
  read(db: Database, nowMs: number | null, mayBeOlder: boolean): GatheredVisits {
    const [head, at] = [journalHead(db), this.#now()]
    if (this.#kept !== null && (mayBeOlder || head === this.#kept.head) && at - this.#kept.at < KEPT_MS)
      return this.#kept.gathered
    const gathered = gatherVisits(db, hourEnd(db, nowMs) - VISITS_MINUTES * 60_000)
    this.#kept = { gathered, head, at }
    return gathered
  }
}

/** The visits of the last hour, the newest activity first. @param limit the number of visits that are described */
export function readVisits(db: Database, hour: GatheredHour, limit: number, nowMs: number | null): Visits {
  const { visits, apart, isPart } = hour.read(db, nowMs, false)
  const listed = visits.slice(0, limit)
  const statuses = readDeliveryStatuses(db, listed.flatMap(seqsOf))
  return {
    now: hourEnd(db, nowMs),
    journal: journalHead(db),
    visits: listed.map((visit) => describe(db, visit, statuses)),
    visitCount: visits.length,
    apart: {
      traceCount: tracesOf(apart).size,
      errorCount: apart.errors.length,
      newest: apart.journal === 0 ? null : apart.journal,
    },
    isPart,
  }
}

const rowsOf = ({ segments, errors, reports }: GatheredVisit) => [...segments, ...errors, ...reports]
const seqsOf = (visit: GatheredVisit): readonly number[] => rowsOf(visit).map(({ seq }) => seq)

const tracesOf = ({ segments, errors }: GatheredVisit): ReadonlySet<string> =>
  new Set([...segments, ...errors].flatMap(({ traceId }) => traceId ?? []))

function describe(db: Database, visit: GatheredVisit, statuses: (seq: number) => DeliveryStatuses): Visit {
  const { id, segments, errors, reports, journal } = visit
  const ofBrowser = segments.filter(isOfBrowser)
  const pages = pagesOf(visit)
  const errorCounts = errorCountsOf(visit)
  const times = [
    ...ofBrowser.flatMap(({ startUs, endUs }) => [startUs, endUs]),
    ...errors.filter(({ service }) => service === 'browser').map(({ timestampUs }) => timestampUs),
  ]
  const arrivals = rowsOf(visit).map(({ receivedAt }) => receivedAt)
  // A visit of reports alone has no times of its own.
  if (times.length === 0) times.push(...arrivals.map((at) => at * 1000))
  const newest = ofBrowser[0]
  return {
    id,
    by: byOf(id),
    startUs: times.reduce((first, at) => Math.min(first, at)),
    endUs: times.reduce((last, at) => Math.max(last, at)),
    journal,
    receivedAt: arrivals.reduce((last, at) => Math.max(last, at)),
    browser: newest === undefined ? null : browserOf(readUserAgent(db, newest.seq)),
    sdk: newest?.sdk ?? null,
    release: newest?.release ?? null,
    pages: pages.slice(-MOST_PAGES).map((page) => toPage(page, errorCounts.get(page.traceId) ?? 0)),
    pageCount: pages.length,
    traceCount: tracesOf(visit).size,
    errorCount: errors.length,
    deliveryStatus: worstDeliveryStatus(rowsOf(visit).map(({ seq, item }) => statuses(seq).of(item))),
    reported: reportedOf(reports),
  }
}

const KINDS = ['page', 'session', 'replay', 'trace'] as const
const byOf = (id: string): Visit['by'] => KINDS.find((kind) => id.startsWith(`${kind}:`)) ?? 'trace'

/**
 * The page loads and navigations by start; without one, the first segment of each trace: of a browser, or of any program
 * outside visits.
 */
export function pagesOf({ id, segments }: Pick<GatheredVisit, 'id' | 'segments'>): readonly VisitSegment[] {
  const loads = segments.filter(isPageLoad)
  if (loads.length > 0) return [...loads].sort(byStart)
  const candidates = id.includes(':') ? segments.filter(isOfBrowser) : segments
  const firsts = new Map<string, VisitSegment>()
  for (const segment of candidates) {
    const first = firsts.get(segment.traceId)
    if (first === undefined || byStart(segment, first) < 0) firsts.set(segment.traceId, segment)
  }
  return [...firsts.values()].sort(byStart)
}

const byStart = (one: VisitSegment, other: VisitSegment): number => one.startUs - other.startUs

/** Errors by trace. */
function errorCountsOf({ errors }: Pick<GatheredVisit, 'errors'>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { traceId } of errors) if (traceId !== null) counts.set(traceId, (counts.get(traceId) ?? 0) + 1)
  return counts
}

export const toPage = (segment: VisitSegment, errorCount: number): VisitPage => ({
  traceId: segment.traceId,
  segmentId: segment.segmentId,
  name: segment.name,
  op: segment.op,
  service: segment.service,
  startUs: segment.startUs,
  endUs: segment.endUs,
  failed: isErrorStatus(segment.status),
  errorCount,
})

/** The counts of client reports, summed by category and reason, the largest first. */
export function reportedOf(reports: readonly VisitReport[]): Visit['reported'] {
  const sums = new Map<string, Visit['reported'][number]>()
  for (const { kind, category, reason, quantity } of reports) {
    if (kind !== 'client_report' || typeof category !== 'string' || typeof reason !== 'string') continue
    if (typeof quantity !== 'number') continue
    const key = `${category} ${reason}`
    sums.set(key, { category, reason, quantity: (sums.get(key)?.quantity ?? 0) + quantity })
  }
  return [...sums.values()].sort((one, other) => other.quantity - one.quantity)
}
