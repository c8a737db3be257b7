import type { Database } from 'better-sqlite3'
import type { VisitorRecord, VisitorRecords } from '../../../lib/wire/visitor'
import { COUNTED_RECORDS } from '../../../lib/wire/visitor-limits'
import { prepareOnce } from '../../runtime/database'
import { readQuantities } from '../stored-content'
import { NEVER_POSTED, readPostSummaries } from './read-deliveries'
import { envelopeDeliveryStatus, readDeliveryStatuses } from './read-outcomes'

/** SQLite uses the partial index only for a condition that excludes NULL, as its own does. */
export const OF_VISITORS = 'visitor IN (SELECT value FROM json_each(@visitors)) AND visitor IS NOT NULL'

const LIST = `SELECT seq, received_at AS receivedAt, bytes, quantities,
    CASE WHEN json_valid(facts) THEN coalesce(json_array_length(facts, '$.scrubbed'), 0) ELSE 0 END AS scrubbed
  FROM submissions WHERE seq IN
    (SELECT seq FROM submissions WHERE ${OF_VISITORS} AND seq < @before ORDER BY seq DESC LIMIT @limit)
  ORDER BY seq DESC`
const TOTAL = `SELECT count(*) FROM submissions WHERE ${OF_VISITORS}`
const PENDING = `SELECT count(*) FROM submissions s WHERE ${OF_VISITORS} AND
  (EXISTS (SELECT 1 FROM pending_deliveries p WHERE p.seq = s.seq) OR EXISTS (SELECT 1 FROM dead_letters d WHERE d.seq = s.seq))`
const COUNTS = `SELECT q.value ->> 0 AS category, sum(q.value ->> 1) AS quantity
  FROM submissions s, json_each(CASE WHEN json_valid(s.quantities) THEN s.quantities ELSE '[]' END) q
  WHERE s.seq IN (SELECT seq FROM submissions WHERE ${OF_VISITORS} ORDER BY seq DESC LIMIT ${COUNTED_RECORDS})
  GROUP BY category ORDER BY category`
const NEIGHBOURS = `SELECT (SELECT min(seq) FROM submissions WHERE ${OF_VISITORS} AND seq > @seq) AS newer,
    (SELECT max(seq) FROM submissions WHERE ${OF_VISITORS} AND seq < @seq) AS older
  WHERE EXISTS (SELECT 1 FROM submissions WHERE seq = @seq AND ${OF_VISITORS})`

type Row = Pick<VisitorRecord, 'seq' | 'receivedAt' | 'bytes' | 'scrubbed'> & { readonly quantities: string }

/** The records of some visitors, newest first. @param before only older ones; `null` for the newest */
export function readVisitor(
  db: Database,
  hashes: readonly string[],
  before: number | null,
  limit: number,
): VisitorRecords {
  const visitors = JSON.stringify(hashes)
  const bound = { visitors, before: before ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 }
  // One read transaction: the counts are about the same records as the list.
  return db.transaction(() => {
    const found = prepareOnce(db, LIST).all(bound) as Row[]
    const rows = found.slice(0, limit)
    return {
      records: toRecords(db, rows),
      next: found.length > limit ? (rows.at(-1)?.seq ?? null) : null,
      total: Number(prepareOnce(db, TOTAL).pluck().get({ visitors })),
      pending: Number(prepareOnce(db, PENDING).pluck().get({ visitors })),
      counts: prepareOnce(db, COUNTS).all({ visitors }) as VisitorRecords['counts'],
    }
  })()
}

function toRecords(db: Database, rows: readonly Row[]): VisitorRecord[] {
  const seqs = rows.map(({ seq }) => seq)
  const statuses = readDeliveryStatuses(db, seqs)
  const posts = readPostSummaries(db, seqs)
  return rows.map(({ quantities, ...row }) => {
    const items = readQuantities(quantities)
    return {
      ...row,
      items: [...items],
      deliveryStatus: envelopeDeliveryStatus(statuses(row.seq), items.length),
      ...(posts.get(row.seq) ?? NEVER_POSTED),
    }
  })
}

/** The next newer and the next older record of the same visitors; `null` for a record of anybody else. */
export function readVisitorNeighbours(
  db: Database,
  hashes: readonly string[],
  seq: number,
): { readonly newer: number | null; readonly older: number | null } | null {
  const found = prepareOnce(db, NEIGHBOURS).get({ visitors: JSON.stringify(hashes), seq })
  return (found as { newer: number | null; older: number | null } | undefined) ?? null
}
