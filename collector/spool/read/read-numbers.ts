import type { Database } from 'better-sqlite3'
import type { DeliveryStatusName } from '../../../lib/protocol/outcome'
import type { ScanPath } from '../../../lib/wire/fill-page'

/** The position of a submission in lists. */
export interface FoundSubmission {
  readonly seq: number
  readonly journal: number
}

/** Statuses of most submissions: the partial index leaves them out, as it would be as long as the list. */
const COMMON_STATUSES: ReadonlySet<DeliveryStatusName> = new Set(['accepted', 'kept', 'copy'])

/**
 * The submissions with a status that few have, newest first, below a number; `null` for a status that most have, which
 * the list filters row by row.
 */
export function findByStatus(
  db: Database,
  status: DeliveryStatusName,
  bound: { readonly below: number; readonly most: number },
): IterableIterator<FoundSubmission> | null {
  if (COMMON_STATUSES.has(status)) return null
  const found =
    status === 'pending' ? db.prepare(PENDING).iterate(bound) : db.prepare(BY_STATUS).iterate({ ...bound, status })
  return found as IterableIterator<FoundSubmission>
}

/** A condition on rows `found` with the status `@deliveryStatus`, in any statement of a connection with the record. */
export const HAS_STATUS =
  '(@deliveryStatus IS NULL OR EXISTS (SELECT 1 FROM outcomes o WHERE o.seq = found.seq AND o.outcome = @deliveryStatus))'

/** Submissions in the order of the record, which is slow: each is stored next to its body. */
export const BY_RECORD: ScanPath = {
  entries: `SELECT seq, journal FROM
      (SELECT seq, journal, received_at, endpoint, stamp FROM submissions WHERE seq < @below AND seq > @above ORDER BY seq DESC LIMIT @most) found
    WHERE (@endpoint IS NULL OR endpoint = @endpoint) AND received_at * 1000 >= @sinceUs AND received_at * 1000 < @untilUs
      AND (@stamp IS NULL OR stamp = @stamp) AND ${HAS_STATUS}`,
  stoppedAt:
    'SELECT seq, journal FROM submissions WHERE seq < @below AND seq > @above ORDER BY seq DESC LIMIT 1 OFFSET @most',
}
/** Pending deliveries and dead letters, which wait for a person. */
export const PENDING = `SELECT o.seq AS seq, s.journal AS journal FROM pending_deliveries o CROSS JOIN submissions s USING (seq) WHERE o.seq < @below
  UNION ALL SELECT d.seq AS seq, s.journal AS journal FROM dead_letters d CROSS JOIN submissions s USING (seq) WHERE d.seq < @below
  ORDER BY seq DESC LIMIT @most`
/** The condition repeats that of the partial index, or SQLite does not use it. */
export const BY_STATUS = `SELECT DISTINCT s.seq, s.journal FROM outcomes o CROSS JOIN submissions s USING (seq)
  WHERE o.outcome = @status AND o.outcome NOT IN ('accepted', 'kept') AND o.seq < @below
  ORDER BY o.seq DESC LIMIT @most`

/** The number of evicted records, over the life of the folder, and the receipt of the oldest one that is stored. */
export function readEvicted(db: Database): { readonly evicted: number; readonly oldest: number | null } {
  const evicted = db.prepare("SELECT sum(value) FROM counters WHERE name IN ('evicted_records', 'evicted_by_age')")
  const oldest = db.prepare('SELECT received_at FROM submissions ORDER BY seq LIMIT 1').pluck().get()
  return { evicted: Number(evicted.pluck().get() ?? 0), oldest: (oldest ?? null) as number | null }
}
