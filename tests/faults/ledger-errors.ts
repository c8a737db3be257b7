import type { Database } from 'better-sqlite3'
import { OUTCOMES } from '../../lib/protocol/outcome'

interface TotalRow {
  /** `null` for the totals of everything. */
  readonly stamp: string | null
  readonly category: string
  readonly entry: string
  readonly quantity: number
  readonly items: number
}

interface Sums {
  readonly quantity: number
  readonly items: number
}

const DECIDED: ReadonlySet<string> = new Set(OUTCOMES)

/**
 * Errors in the ledger totals of a record, each a sentence. Overall and per stamp, in quantities and items, received must
 * equal pending plus outcomes, and pending must equal the pending deliveries and dead letters.
 * @param db with `spool.db` as its main database
 */
export function ledgerErrors(db: Database): readonly string[] {
  const rows = db
    .prepare(
      `SELECT NULL AS stamp, category, entry, quantity, items FROM ledger_totals
       UNION ALL SELECT stamp, category, entry, quantity, items FROM stamp_ledger_totals`,
    )
    .all() as TotalRow[]
  const recounted = new Map(recount(db).map(({ stamp, category, ...sums }) => [keyOf(stamp, category), sums]))
  const rowsByKey = new Map<string, TotalRow[]>()
  for (const row of rows) {
    const key = keyOf(row.stamp, row.category)
    rowsByKey.set(key, [...(rowsByKey.get(key) ?? []), row])
  }
  const errors = [...new Set([...rowsByKey.keys(), ...recounted.keys()])].flatMap((key) =>
    balanceErrors(rowsByKey.get(key) ?? [], recounted.get(key) ?? NOTHING).map((why) => `${nameOf(key)}: ${why}`),
  )
  return [...errors, ...contradictions(db)]
}

const NOTHING: Sums = { quantity: 0, items: 0 }

const keyOf = (stamp: string | null, category: string): string => JSON.stringify([stamp, category])

function nameOf(key: string): string {
  const [stamp, category] = JSON.parse(key) as [string | null, string]
  return stamp === null ? `the totals of ${category}` : `the totals of ${category} with stamp ${stamp}`
}

function balanceErrors(rows: readonly TotalRow[], recounted: Sums): readonly string[] {
  const sumOf = (counts: (row: TotalRow) => boolean): Sums => ({
    quantity: rows.reduce((sum, row) => (counts(row) ? sum + row.quantity : sum), 0),
    items: rows.reduce((sum, row) => (counts(row) ? sum + row.items : sum), 0),
  })
  const received = sumOf(({ entry }) => entry === 'received')
  const pending = sumOf(({ entry }) => entry === 'pending')
  const decided = sumOf(({ entry }) => DECIDED.has(entry))
  const negative = rows.filter(({ quantity, items }) => quantity < 0 || items < 0).map(({ entry }) => entry)
  return [
    ...(['quantity', 'items'] as const).flatMap((unit) => [
      ...(received[unit] === pending[unit] + decided[unit]
        ? []
        : [`${unit} received ${received[unit]}, pending ${pending[unit]}, decided ${decided[unit]}`]),
      ...(pending[unit] === recounted[unit]
        ? []
        : [`${unit} pending ${pending[unit]}, pending deliveries and dead letters have ${recounted[unit]}`]),
    ]),
    ...negative.map((entry) => `${entry} is negative`),
  ]
}

/** Pending deliveries and dead letters, item by item: overall, and per stamp since its totals began. */
function recount(db: Database): readonly (Sums & { readonly stamp: string | null; readonly category: string })[] {
  return db
    .prepare(
      `WITH pending AS (
         SELECT s.stamp, s.journal, json_extract(q.value, '$[0]') AS category, json_extract(q.value, '$[1]') AS quantity
         FROM (SELECT seq FROM pending_deliveries UNION ALL SELECT seq FROM dead_letters) JOIN submissions s USING (seq), json_each(s.quantities) q)
       SELECT NULL AS stamp, category, sum(quantity) AS quantity, count(*) AS items FROM pending GROUP BY category
       UNION ALL SELECT p.stamp, category, sum(quantity), count(*) FROM pending p JOIN stamps USING (stamp)
         WHERE p.journal >= stamps.since GROUP BY p.stamp, category`,
    )
    .all() as (Sums & { stamp: string | null; category: string })[]
}

/** Rows that contradict each other, or that have no record. */
function contradictions(db: Database): readonly string[] {
  const number = (sql: string): number => Number(db.prepare(sql).pluck().get())
  const gone = 'seq NOT IN (SELECT seq FROM submissions)'
  const counts: readonly (readonly [number, string])[] = [
    [
      number('SELECT count(*) FROM pending_deliveries JOIN dead_letters USING (seq)'),
      'records are both pending and dead letters',
    ],
    [
      number('SELECT count(DISTINCT seq) FROM pending_deliveries JOIN outcomes USING (seq)'),
      'pending records have an outcome',
    ],
    [number('SELECT count(DISTINCT seq) FROM dead_letters JOIN outcomes USING (seq)'), 'dead letters have an outcome'],
    ...['pending_deliveries', 'dead_letters', 'outcomes', 'deliveries'].map(
      (table) => [number(`SELECT count(*) FROM ${table} WHERE ${gone}`), `rows of ${table} have no record`] as const,
    ),
    [
      number(
        `SELECT count(*) FROM submissions s WHERE endpoint <> 'stream'
           AND NOT EXISTS (SELECT 1 FROM pending_deliveries o WHERE o.seq = s.seq) AND NOT EXISTS (SELECT 1 FROM dead_letters d WHERE d.seq = s.seq)
           AND NOT EXISTS (SELECT 1 FROM outcomes o WHERE o.seq = s.seq AND o.item = -1)
           AND (SELECT count(*) FROM outcomes o WHERE o.seq = s.seq) <> json_array_length(s.quantities)`,
      ),
      'settled records do not have an outcome for each item',
    ],
    [
      number('SELECT count(DISTINCT stamp) FROM stamp_ledger_totals WHERE stamp NOT IN (SELECT stamp FROM stamps)'),
      'stamps with totals are not listed',
    ],
  ]
  return counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]))
}
