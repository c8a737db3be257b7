import type { Database } from 'better-sqlite3'
import { OUTCOMES } from '../../lib/protocol/outcome'

interface BookRow {
  /** `null` of the totals. */
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
 * What is wrong about the books of a record, each a sentence; none when they balance: in all and for each stamp
 * received = pending + outcomes, in quantities and items, and what is pending is what is pending or a dead letter.
 * @param db with `spool.db` as its main database
 */
export function ledgerErrors(db: Database): readonly string[] {
  const rows = db
    .prepare(
      `SELECT NULL AS stamp, category, entry, quantity, items FROM ledger_totals
       UNION ALL SELECT stamp, category, entry, quantity, items FROM stamp_ledger_totals`,
    )
    .all() as BookRow[]
  const recounted = new Map(recount(db).map(({ stamp, category, ...sums }) => [keyOf(stamp, category), sums]))
  const books = new Map<string, BookRow[]>()
  for (const row of rows) {
    const key = keyOf(row.stamp, row.category)
    books.set(key, [...(books.get(key) ?? []), row])
  }
  const wrong = [...new Set([...books.keys(), ...recounted.keys()])].flatMap((key) =>
    judge(books.get(key) ?? [], recounted.get(key) ?? NOTHING).map((why) => `${nameOf(key)}: ${why}`),
  )
  return [...wrong, ...strays(db)]
}

const NOTHING: Sums = { quantity: 0, items: 0 }

const keyOf = (stamp: string | null, category: string): string => JSON.stringify([stamp, category])

function nameOf(key: string): string {
  const [stamp, category] = JSON.parse(key) as [string | null, string]
  return stamp === null ? `the book of ${category}` : `the book of ${category} with stamp ${stamp}`
}

function judge(rows: readonly BookRow[], recounted: Sums): readonly string[] {
  const sumOf = (counts: (row: BookRow) => boolean): Sums => ({
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
        : [`${unit} pending ${pending[unit]}, pending or dead letters are ${recounted[unit]}`]),
    ]),
    ...negative.map((entry) => `less than nothing is ${entry}`),
  ]
}

/** What is pending or a dead letter, item by item: in all, and for each stamp as far as its books reach. */
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

/** Rows that contradict each other, or that their record left behind. */
function strays(db: Database): readonly string[] {
  const number = (sql: string): number => Number(db.prepare(sql).pluck().get())
  const gone = 'seq NOT IN (SELECT seq FROM submissions)'
  const counts: readonly (readonly [number, string])[] = [
    [
      number('SELECT count(*) FROM pending_deliveries JOIN dead_letters USING (seq)'),
      'records are pending and dead letters',
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
      'records that are neither pending nor dead letters are not decided whole',
    ],
    [
      number('SELECT count(DISTINCT stamp) FROM stamp_ledger_totals WHERE stamp NOT IN (SELECT stamp FROM stamps)'),
      'stamps with books are not listed',
    ],
  ]
  return counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]))
}
