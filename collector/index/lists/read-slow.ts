import type { Database } from 'better-sqlite3'
import { groupBy } from '../../../lib/group-by'
import { isPageLoad } from '../../../lib/protocol/trace/page-load'
import { normaliseName } from '../../../lib/protocol/trace/span-name'
import { SLOW_MINUTES, type Slow, type SlowOperation } from '../../../lib/wire/slow'
import { prepareOnce } from '../../runtime/database'
import { comparedKey } from '../rows/terms-traces'
import { hourEnd } from './read-error-groups'
import { COMPARED_SEGMENTS } from './read-segments'

/** The newest segments that are read. */
export const MAX_SLOW_SEGMENTS = 5000
/** With fewer segments a p95 says little. */
const FEW_SEGMENTS = 5
const SHOWN_OPERATIONS = 3
const SHOWN_DURATIONS = 12
const MINUTE_MS = 60_000

export const NEWEST_SEGMENTS = `SELECT s.trace_id AS traceId, s.segment_id AS segmentId, s.service, s.sdk, s.op, s.name, s.project, s.own,
    max(0, s.end_us - s.start_us) AS us, e.received_at AS receivedAt
  FROM segments s CROSS JOIN envelopes e ON e.seq = s.seq WHERE s.list_position > 0 ORDER BY s.list_position DESC LIMIT ${MAX_SLOW_SEGMENTS}`

interface Timed {
  readonly traceId: string
  readonly segmentId: string
  readonly service: string
  readonly sdk: string | null
  readonly op: string | null
  readonly name: string
  readonly project: string
  readonly own: number
  readonly us: number
  readonly receivedAt: number
}

/** The slowest operations of the last hour, and its page loads. @param nowMs `null`: the hour of the newest envelope */
export function readSlow(db: Database, nowMs: number | null): Slow {
  const now = hourEnd(db, nowMs)
  const since = now - SLOW_MINUTES * MINUTE_MS
  const read = prepareOnce(db, NEWEST_SEGMENTS).all() as Timed[]
  const segments = read.filter(({ own, receivedAt }) => own === 0 && receivedAt > since)
  return {
    now,
    operations: [...groupBy(segments, comparedKey).values()]
      .map(operationOf)
      .sort((a, b) => Number(a.isFew) - Number(b.isFew) || b.p95Us - a.p95Us)
      .slice(0, SHOWN_OPERATIONS),
    pageLoads: pageLoadsOf(segments, since),
    isPart: read.length === MAX_SLOW_SEGMENTS && (read.at(-1)?.receivedAt ?? 0) > since,
  }
}

/** @param alike the newest first, at least one */
function operationOf(alike: readonly Timed[]): SlowOperation {
  const compared = alike.slice(0, COMPARED_SEGMENTS)
  const [slowest] = compared.toSorted((a, b) => b.us - a.us)
  if (slowest === undefined) throw new Error('an operation without segments')
  const { service, op, name, project, traceId, segmentId } = slowest
  return {
    service,
    op,
    name: normaliseName(name),
    project,
    p95Us: p95Of(compared),
    count: compared.length,
    isFew: compared.length < FEW_SEGMENTS,
    lastUs: compared
      .slice(0, SHOWN_DURATIONS)
      .map(({ us }) => us)
      .reverse(),
    slowest: { traceId, segmentId },
  }
}

function pageLoadsOf(segments: readonly Timed[], since: number): Slow['pageLoads'] {
  const loads = segments.filter(isPageLoad)
  if (loads.length === 0) return null
  const byMinute = groupBy(loads, ({ receivedAt }) =>
    // A record may be received after the answer began.
    Math.min(SLOW_MINUTES - 1, Math.floor((receivedAt - since) / MINUTE_MS)),
  )
  return {
    p95Us: p95Of(loads),
    count: loads.length,
    minutes: Array.from({ length: SLOW_MINUTES }, (_, minute) => {
      const found = byMinute.get(minute)
      return found === undefined ? null : p95Of(found)
    }),
  }
}

/** By nearest rank: the duration of a segment, not a value between two. */
function p95Of(segments: readonly Timed[]): number {
  const sorted = segments.map(({ us }) => us).sort((a, b) => a - b)
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0
}
