import { DISCARDED } from '../../spool/ledger/ledger-entries'
import { MAX_STAMPS } from '../../spool/ledger/ledger-totals'
import type { MirroredChange, MirroredTotal, MirrorStart } from '../../spool/mirror/journal-page'
import type { Query, StoreConnection } from '../connection'
import { readOldest } from '../housekeeping/drop-partitions'

/** Numbers whose changes of the totals one statement sums. */
const SUMMED_NUMBERS = 100_000

/**
 * The state of the shared record, without its records, at the end of a batch near the newest one: a mirror that starts
 * follows from there, and fetches what is older afterwards.
 * @param most facts that follow, at most
 * @returns `null` when the record has no more facts than that: a mirror starts at the oldest
 */
export const readStart = (connection: StoreConnection, most: number): Promise<MirrorStart | null> =>
  connection.snapshot(async (query) => {
    const oldest = await readOldest({ query })
    const [cursor] = await query<MirrorStart['cursor']>({
      name: 'start',
      text: `SELECT last AS n, batch FROM waystation.commits
        WHERE last >= (SELECT max(last) FROM waystation.commits) - $1 ORDER BY last LIMIT 1`,
      values: [most],
    })
    if (oldest === null || cursor === undefined || cursor.n - oldest < most) return null
    const [fact] = await query<{ readonly at: number }>({
      text: 'SELECT at FROM waystation.journal WHERE n = $1',
      values: [cursor.n],
    })
    return {
      cursor,
      at: fact?.at ?? 0,
      oldest,
      totals: await readTotals(query, cursor.n),
      changes: await readChanges(query, cursor.n),
    }
  })

/** Those of the latest stamps with the first and the last number that they count. */
async function readTotals(query: Query, upTo: number): Promise<readonly MirroredTotal[]> {
  const [folded] = await query<{ readonly n: number; readonly first: number | null }>({
    text: `SELECT coalesce((SELECT value FROM waystation.counters WHERE name = 'folded_up_to'), 0) AS n,
      (SELECT min(n) FROM waystation.totals_added) AS first`,
  })
  const base = await query<MirroredTotal>({
    text: `SELECT NULL AS stamp, 0 AS journal, category, entry, reason, quantity, items FROM waystation.ledger_totals`,
  })
  const sums = new StampedSums()
  const start = Math.max(folded?.n ?? 0, (folded?.first ?? upTo + 1) - 1)
  for (let after = start; after < upTo; after += SUMMED_NUMBERS)
    sums.add(
      await query<SummedRow>({
        name: 'start_totals',
        text: `SELECT stamp, category, entry, reason, sum(quantity)::int8 AS quantity, sum(items)::int8 AS items,
            min(journal) AS first, max(journal) AS last
          FROM waystation.totals_added WHERE n > $1 AND n <= $2 GROUP BY stamp, category, entry, reason`,
        values: [after, Math.min(after + SUMMED_NUMBERS, upTo)],
      }),
    )
  return [...base, ...sums.totals()]
}

interface SummedRow extends MirroredTotal {
  readonly first: number
  readonly last: number
}

/** Sums of rows, for each stamp and for all. */
class StampedSums {
  readonly #rows = new Map<string | null, Map<string, SummedRow>>()

  add(rows: readonly SummedRow[]): void {
    for (const row of rows) {
      const ofStamp = this.#rows.get(row.stamp) ?? new Map<string, SummedRow>()
      this.#rows.set(row.stamp, ofStamp)
      const key = JSON.stringify([row.category, row.entry, row.reason])
      const known = ofStamp.get(key)
      ofStamp.set(
        key,
        known === undefined
          ? row
          : {
              ...row,
              quantity: known.quantity + row.quantity,
              items: known.items + row.items,
              first: Math.min(known.first, row.first),
              last: Math.max(known.last, row.last),
            },
      )
    }
  }

  /** A mirror counts a stamp from its first record on, and keeps the stamps whose last record is the newest. */
  totals(): readonly MirroredTotal[] {
    const stamps = [...this.#rows]
      .map(([stamp, rows]) => ({ stamp, rows: [...rows.values()], ...boundsOf([...rows.values()]) }))
      .sort((one, other) => one.last - other.last)
    const kept = stamps.filter(({ stamp, last }) => stamp !== null && last > 0).slice(-MAX_STAMPS)
    return [
      ...(this.#rows.get(null)?.values() ?? []),
      ...kept.flatMap(({ rows, first, last }) => {
        const [begins] = rows.filter(isBeginning)
        // The first entry begins the stamp, and the last one says when it was seen last.
        return begins === undefined
          ? []
          : [
              { ...begins, quantity: 0, items: 0, entry: 'received' as const, journal: first },
              ...rows.map((row) => ({ ...row, journal: first })),
              { ...begins, quantity: 0, items: 0, entry: 'received' as const, journal: last },
            ]
      }),
    ]
  }
}

const isBeginning = ({ entry, quantity }: SummedRow): boolean =>
  entry === 'received' || (entry === DISCARDED && quantity > 0)

function boundsOf(rows: readonly SummedRow[]): { readonly first: number; readonly last: number } {
  const beginning = rows.filter(isBeginning)
  return {
    first: Math.min(...beginning.map(({ first }) => first)),
    last: Math.max(0, ...beginning.map(({ last }) => last)),
  }
}

/** Counts are summed; limits and settings keep their order. */
async function readChanges(query: Query, upTo: number): Promise<readonly MirroredChange[]> {
  const rows = await query<{ readonly change: MirroredChange }>({ text: CHANGES, values: [upTo] })
  return rows.map(({ change }) => change)
}

const CHANGES = `WITH known AS (SELECT n, ordinal, change, change->>'kind' AS kind FROM waystation.changes WHERE n <= $1),
    -- A quantity that would fall below 0 stays 0: so the lowest sum so far is what was not subtracted.
    summed AS (SELECT change->>'publicKey' AS key, change->>'project' AS project, d->>'reason' AS reason, d->>'category' AS category,
        sum((d->>'quantity')::int8 * (change->>'sign')::int8) OVER (PARTITION BY change->>'publicKey', change->>'project',
          d->>'reason', d->>'category' ORDER BY n, ordinal, o) AS quantity,
        n, ordinal, o
      FROM known, json_array_elements(change->'discards') WITH ORDINALITY AS u (d, o) WHERE kind = 'cut'),
    cuts AS (SELECT key, project, reason, category,
        (array_agg(quantity ORDER BY n DESC, ordinal DESC, o DESC))[1] - least(0, min(quantity)) AS quantity
      FROM summed GROUP BY key, project, reason, category)
  SELECT change FROM (
    SELECT n, ordinal, change FROM known WHERE kind IN ('limits', 'setting')
    UNION ALL SELECT min(n), min(ordinal), json_build_object('kind', 'refusal', 'reason', change->>'reason',
        'path', change->>'path', 'bytes', sum((change->>'bytes')::int8), 'envelopes', count(*))
      FROM known WHERE kind = 'refusal' GROUP BY change->>'reason', change->>'path'
    UNION ALL SELECT min(n), min(ordinal), json_build_object('kind', 'pages', 'documents', sum((change->>'documents')::int8),
        'pages', sum((change->>'pages')::int8)) FROM known WHERE kind = 'pages' HAVING count(*) > 0
    UNION ALL SELECT $1, 0, json_build_object('kind', 'cut', 'publicKey', key, 'project', project, 'sign', 1, 'discards',
        json_build_array(json_build_object('reason', reason, 'category', category, 'quantity', quantity)))
      FROM cuts WHERE quantity > 0
  ) AS c ORDER BY n, ordinal`
