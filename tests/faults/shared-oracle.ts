import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import Database from 'better-sqlite3'
import { inflateBody } from '../../collector/spool/record-body'
import { readStopped } from './record'
import type { Senders } from './senders'
import type { CountingUpstream } from './upstream'

/** Counts at the end of a fault, and broken promises. */
export interface SharedResult {
  readonly acknowledged: number
  readonly stored: number
  /** Acknowledged bodies that are not stored. */
  readonly lost: number
  /** Bodies that arrived upstream again, counted each time. */
  readonly duplicates: number
  /** Bodies with stored results of several posts. */
  readonly settledTwice: number
  /** Broken promises, each a sentence. */
  readonly broken: readonly string[]
}

interface Given {
  /** Rows of the store. */
  readonly read: <Row>(sql: string) => Promise<Row[]>
  readonly senders: Senders
  readonly upstream: CountingUpstream
  /** Data folders of the collectors that were stopped after everything was delivered. */
  readonly folders: readonly string[]
}

interface StoredRow {
  readonly stamp: string
  readonly receipt: string
  readonly bytes: number
  readonly deflated: boolean
  readonly body: Buffer
}

/**
 * Compares the answers that senders got with the store, its mirrors, and the arrivals upstream, which has answered 200 to
 * each post. Losses are counted, not reported: a test that allows none expects 0.
 */
export async function checkSharedRecord({ read, senders, upstream, folders }: Given): Promise<SharedResult> {
  const broken: string[] = []
  const records = await read<StoredRow>('SELECT stamp, receipt, bytes, deflated, body FROM waystation.records')
  const bodies = new Map(records.map((row) => [row.stamp, hashOf(row)]))
  if (bodies.size < records.length) broken.push(`${records.length - bodies.size} bodies are stored twice`)
  for (const [id, sha256] of bodies) {
    if (senders.sent.get(sha256)?.id !== id) broken.push(`${id} is not stored as it was sent`)
    if (!upstream.arrivals.has(sha256)) broken.push(`${id} is stored and did not reach upstream`)
  }
  const lost = [...senders.sent.values()].filter(({ id, result }) => result === 'acknowledged' && !bodies.has(id))
  for (const sha256 of upstream.arrivals.keys())
    if (!senders.sent.has(sha256)) broken.push(`upstream has a body that was not sent: ${sha256}`)
  for (const answer of new Set(senders.unexpected)) broken.push(`senders were answered ${answer}`)

  for (const [sql, sentence] of NONE) {
    const [row] = await read<{ n: number }>(`SELECT count(*)::int AS n FROM (${sql}) wrong`)
    if (row?.n !== 0) broken.push(`${row?.n} ${sentence}`)
  }
  const deliveries = await read<{ stamp: string; posts: number }>(DELIVERIES)
  for (const { stamp, posts } of deliveries)
    if (posts > (upstream.arrivals.get(bodies.get(stamp) ?? '') ?? 0))
      broken.push(`${stamp} has ${posts} stored posts, more than arrived upstream`)
  const totals = await read<TotalRow>(TOTALS)
  for (const folder of folders) broken.push(...mirrorErrors(folder, bodies, totals).map((why) => `${folder}: ${why}`))
  return {
    acknowledged: senders.acknowledged(),
    stored: records.length,
    lost: lost.length,
    settledTwice: deliveries.filter(({ posts }) => posts > 1).length,
    duplicates: [...upstream.arrivals.values()].reduce((sum, times) => sum + times - 1, 0),
    broken,
  }
}

interface TotalRow {
  readonly category: string
  readonly entry: string
  readonly reason: string
  readonly quantity: number
  readonly items: number
}

const SUMS = `category, entry, reason, CAST(sum(quantity) AS int) AS quantity, CAST(sum(items) AS int) AS items`
const GROUPS =
  'GROUP BY category, entry, reason HAVING sum(quantity) <> 0 OR sum(items) <> 0 ORDER BY category, entry, reason'
const TOTALS = `SELECT ${SUMS} FROM (
    SELECT category, entry, reason, quantity, items FROM waystation.totals_added
    UNION ALL SELECT category, entry, reason, quantity, items FROM waystation.ledger_totals) t ${GROUPS}`

/** Posts with a stored result of 200. After a lost answer the result of one post may be stored twice. */
const DELIVERIES = `SELECT stamp, count(DISTINCT (attempt->>'startedAt', attempt->>'endedAt'))::int AS posts
  FROM waystation.attempts JOIN waystation.records USING (seq) WHERE (attempt->>'status')::int = 200 GROUP BY stamp`

/** Queries that find nothing, and the sentence about each of their rows. */
const NONE: readonly (readonly [string, string])[] = [
  ['SELECT receipt FROM waystation.records GROUP BY receipt HAVING count(*) > 1', 'receipts are stored twice'],
  [
    'SELECT seq FROM waystation.records r FULL JOIN waystation.receipts x USING (seq, receipt) WHERE r.seq IS NULL OR x.seq IS NULL',
    'records and receipts differ',
  ],
  [
    'SELECT FROM (SELECT n, lag(n, 1, 0::int8) OVER (ORDER BY n) AS before FROM waystation.journal) j WHERE n <> before + 1',
    'numbers do not follow the one before',
  ],
  [
    'SELECT max(n) FROM waystation.journal HAVING max(n) <> (SELECT max(last) FROM waystation.commits)',
    'numbers after the last batch',
  ],
  [
    `SELECT FROM waystation.records r LEFT JOIN waystation.journal j ON j.n = r.seq AND j.seq = r.seq AND j.kind = 'received' WHERE j.n IS NULL`,
    'records have no fact of their number',
  ],
  ['SELECT FROM waystation.pending_deliveries', 'records are still pending'],
  ['SELECT FROM waystation.dead_letters', 'records are dead letters'],
  [
    'SELECT FROM waystation.records r WHERE NOT EXISTS (SELECT FROM waystation.outcomes o WHERE o.seq = r.seq)',
    'records have no outcome',
  ],
]

/** Differences between a mirror with its index and the store. */
function mirrorErrors(
  folder: string,
  bodies: ReadonlyMap<string, string>,
  totals: readonly TotalRow[],
): readonly string[] {
  const mirror = readStopped(folder)
  const own = readTotals(join(folder, 'spool.db'))
  return [
    ...(isDeepStrictEqual(mirror.bodies, bodies) ? [] : ['the bodies of the mirror are not those of the store']),
    ...(isDeepStrictEqual(
      own,
      totals.map((row) => ({ ...row })),
    )
      ? []
      : [`the mirror has the totals ${JSON.stringify(own)}, the store ${JSON.stringify(totals)}`]),
    ...mirror.ledger.errors,
    ...(mirror.undecided > 0 ? [`${mirror.undecided} submissions have no outcome`] : []),
    ...(mirror.undigested > 0 ? [`${mirror.undigested} submissions are not digested once`] : []),
    ...(mirror.orphanedRows > 0 ? [`rows of ${mirror.orphanedRows} submissions have no record`] : []),
    ...mirror.integrity.filter((word) => word !== 'ok'),
  ]
}

function readTotals(path: string): unknown[] {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare(`SELECT ${SUMS} FROM ledger_totals ${GROUPS}`).all()
  } finally {
    db.close()
  }
}

const hashOf = ({ bytes, deflated, body }: StoredRow): string =>
  createHash('sha256')
    .update(inflateBody({ bytes, deflated: deflated ? 1 : 0, body }))
    .digest('hex')

/** One line about a result. */
export const figures = ({ acknowledged, stored, lost, duplicates }: SharedResult): string =>
  `${acknowledged} acknowledged, ${stored} stored, ${lost} lost, ${duplicates} duplicates upstream`
