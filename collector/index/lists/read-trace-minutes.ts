import type { Database } from 'better-sqlite3'

/** Traces that one answer counts: those of a rebuilt count, or of a long time without a query. Reading them takes 10 ms. */
export const MAX_COUNTED_TRACES = 20_000

interface TraceMinutes {
  /** As given. */
  readonly after: number | null
  /** The position of the newest trace, for the next query. */
  readonly upTo: number | null
  readonly minutes: readonly { readonly minute: number; readonly traces: number }[]
  /** True when there are older traces since then that were not counted. */
  readonly isPart: boolean
}

/**
 * The number of traces per minute, by the receipt of their first record, without own telemetry.
 * @param after a list position: only later traces are counted; `null` for all @param since ms since the epoch
 */
export function readTraceMinutes(db: Database, after: number | null, since: number): TraceMinutes {
  const upTo = db.prepare('SELECT max(list_position) FROM traces').pluck().get() as number | null
  const bound = { after: after ?? 0, most: MAX_COUNTED_TRACES }
  const found = db.prepare(COUNTS).all({ ...bound, since }) as { minute: number; traces: number }[]
  return {
    after,
    upTo: upTo === null || (after !== null && after > upTo) ? after : upTo,
    minutes: found,
    isPart: Number(db.prepare(BEYOND).pluck().get(bound) ?? 0) >= since,
  }
}

const NEWEST = 'FROM traces WHERE list_position > @after ORDER BY list_position DESC LIMIT'

const COUNTS = `SELECT received_at / 60000 AS minute, count(*) AS traces FROM (SELECT received_at, own ${NEWEST} @most)
  WHERE own = 0 AND received_at >= @since GROUP BY minute`
const BEYOND = `SELECT received_at ${NEWEST} 1 OFFSET @most`
