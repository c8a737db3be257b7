import type { Database } from 'better-sqlite3'
import { type DeliveryStatusName, OUR_REASONS } from '../../lib/protocol/outcome'
import { type DeliveryStatus, worstDeliveryStatus } from '../../lib/wire/delivery-status'
import { EVERY_ITEM } from '../spool/submission'

/** What became of one submission's items, as far as it is decided. */
export interface DeliveryStatuses {
  readonly of: (item: number) => DeliveryStatus
  /** When the last item was decided by upstream's answer; `null` while any is pending, and where nothing was pending. */
  readonly relayedAt: number | null
}

interface OutcomeRow {
  readonly seq: number
  readonly item: number
  readonly outcome: DeliveryStatusName
  readonly reason: string | null
  readonly at: number
}

const PENDING: DeliveryStatus = { name: 'pending', reason: null }
/** Upstream refused it for what it is: a person decides. */
export const DEAD_LETTER: DeliveryStatus = { name: 'pending', reason: 'dead_letter' }
const COPY: DeliveryStatus = { name: 'copy', reason: null }
const RELAYED = new Set<DeliveryStatusName>(['accepted', 'rate_limited', 'invalid'])

/** The statuses of some submissions, in one query. Submissions that came as a copy have the status `copy`. */
export function readDeliveryStatuses(db: Database, seqs: readonly number[]): (seq: number) => DeliveryStatuses {
  const list = JSON.stringify([...new Set(seqs)])
  const rows = db
    .prepare(`SELECT seq, item, outcome, reason, at FROM spool.outcomes WHERE seq IN (SELECT value FROM json_each(?))`)
    .all(list) as OutcomeRow[]
  const copies = new Set(
    db
      .prepare(
        `SELECT seq FROM spool.submissions WHERE endpoint = 'stream' AND seq IN (SELECT value FROM json_each(?))`,
      )
      .pluck()
      .all(list) as number[],
  )
  const dead = new Set(
    db
      .prepare('SELECT seq FROM spool.dead_letters WHERE seq IN (SELECT value FROM json_each(?))')
      .pluck()
      .all(list) as number[],
  )
  const bySeq = groupBySeq(rows)
  return (seq) => deliveryStatusesOf(bySeq.get(seq) ?? [], copies.has(seq), dead.has(seq) ? DEAD_LETTER : PENDING)
}

function deliveryStatusesOf(rows: readonly OutcomeRow[], copy: boolean, undecided: DeliveryStatus): DeliveryStatuses {
  const toDeliveryStatus = (row: OutcomeRow): DeliveryStatus => ({ name: row.outcome, reason: row.reason })
  const whole = rows.find((row) => row.item === EVERY_ITEM)
  const relayed = rows.filter((row) => RELAYED.has(row.outcome) && !OUR_REASONS.has(row.reason)).map((row) => row.at)
  return {
    of: (item) => {
      if (copy) return COPY
      const row = rows.find((one) => one.item === item) ?? whole
      return row === undefined ? undecided : toDeliveryStatus(row)
    },
    relayedAt: relayed.length === 0 ? null : Math.max(...relayed),
  }
}

/** The status of an envelope: that of its items together; one without items has its own. */
export const envelopeDeliveryStatus = (deliveryStatuses: DeliveryStatuses, itemCount: number): DeliveryStatus =>
  itemCount === 0
    ? deliveryStatuses.of(EVERY_ITEM)
    : worstDeliveryStatus(Array.from({ length: itemCount }, (_, item) => deliveryStatuses.of(item)))

function groupBySeq(rows: readonly OutcomeRow[]): Map<number, OutcomeRow[]> {
  const groups = new Map<number, OutcomeRow[]>()
  for (const row of rows) groups.set(row.seq, [...(groups.get(row.seq) ?? []), row])
  return groups
}
