import type { JournalFact } from '../../../lib/wire/journal'
import { DISCARDED } from '../../spool/ledger/ledger-entries'
import type {
  JournalPage,
  MirrorCursor,
  MirroredAttempt,
  MirroredChange,
  MirroredOutcome,
  MirroredRecord,
  MirroredTotal,
} from '../../spool/mirror/journal-page'
import type { StoreConnection } from '../connection'
import { readOldest } from '../housekeeping/drop-partitions'

/** The shared record does not have the batch at which a mirror stands: it was restored, or another server took over. */
export class CursorLostError extends Error {
  static readonly NAME = 'CursorLostError'

  constructor({ n }: MirrorCursor) {
    super(`the shared record has no batch that ends with fact ${n}, at which this mirror stands`)
    this.name = CursorLostError.NAME
  }
}

/**
 * Whole batches after a cursor. They are committed in the order of their numbers, so no number below the newest can
 * appear later. A mirror that starts gets the oldest number that is left. Ids of old batches are deleted: pages of their
 * numbers end with a cursor without an id.
 * @param limit facts at most, but always one batch. @returns `null` when there is nothing after it.
 * @throws CursorLostError when the batch is not known, or facts after it were dropped
 */
export async function readPage(
  connection: StoreConnection,
  from: MirrorCursor,
  limit: number,
): Promise<JournalPage | null> {
  const start = from.n === 0 ? Math.max(0, ((await readOldest(connection)) ?? 1) - 1) : from.n
  const commits = await connection.query<CommitRow>({
    name: 'commits',
    text: `SELECT last, batch FROM waystation.commits WHERE last >= $1 ORDER BY last LIMIT $2`,
    values: [start, limit + 1],
  })
  await checkCursor(connection, from, commits)
  const after = commits.filter(({ last }) => last > start)
  const [next] = after
  if (next === undefined) return null
  const known = after.findLast(({ last }) => last <= start + limit)
  const end = known === undefined ? await endOfOldBatches(connection, start + limit, next) : cursorOf(known)
  const { page, oldest } = await readBetween(connection, from, start, end)
  if (oldest === null || oldest <= start + 1) return page
  // A partition was dropped, before or while this page was read.
  if (from.n > 0) throw new CursorLostError(from)
  return readPage(connection, from, limit)
}

interface CommitRow {
  readonly last: number
  readonly batch: string
}

const cursorOf = ({ last, batch }: CommitRow): MirrorCursor => ({ n: last, batch })

/** @throws CursorLostError */
async function checkCursor(
  connection: StoreConnection,
  from: MirrorCursor,
  commits: readonly CommitRow[],
): Promise<void> {
  if (from.n === 0) return
  if (from.batch !== null) {
    if (commits[0]?.last !== from.n || commits[0].batch !== from.batch) throw new CursorLostError(from)
    return
  }
  const [first] = await connection.query<{ readonly last: number }>({
    name: 'first_commit',
    text: 'SELECT last FROM waystation.commits ORDER BY last LIMIT 1',
    values: [],
  })
  if (first === undefined || first.last <= from.n) throw new CursorLostError(from)
}

/**
 * The end of the batch that has a number. Facts of one batch have the same time, so a batch ends where the time changes.
 * @param next the first batch whose id is known
 */
async function endOfOldBatches(connection: StoreConnection, n: number, next: CommitRow): Promise<MirrorCursor> {
  const [change] = await connection.query<{ readonly n: number }>({
    name: 'end_of_old_batches',
    text: `SELECT n FROM waystation.journal WHERE n > $1 AND n <= $2
      AND at <> (SELECT at FROM waystation.journal WHERE n = $1) ORDER BY n LIMIT 1`,
    values: [n, next.last],
  })
  return change === undefined ? cursorOf(next) : { n: change.n - 1, batch: null }
}

async function readBetween(
  connection: StoreConnection,
  from: MirrorCursor,
  start: number,
  upTo: MirrorCursor,
): Promise<{ readonly page: JournalPage; readonly oldest: number | null }> {
  const values = [start, upTo.n]
  const read = <Row extends object>(name: string, text: string, given = values): Promise<readonly Row[]> =>
    connection.query<Row>({ name, text, values: given })
  const [facts, records, attempts, outcomes, changes, [totals]] = await Promise.all([
    read<JournalFact>('page_facts', FACTS),
    read<MirroredRecord>('page_records', RECORDS),
    read<MirroredAttempt>('page_attempts', ATTEMPTS),
    read<MirroredOutcome>('page_outcomes', OUTCOMES),
    read<{ readonly change: MirroredChange; readonly after: number | null }>('page_changes', CHANGES),
    // The last one: a partition that leaves the journal after it has still had all rows of the facts above.
    read<TotalsRow>('page_totals', TOTALS, [from.n, upTo.n]),
  ])
  if (totals === undefined) throw new Error('PostgreSQL answered no row to the query of the totals')
  const { added, base, foldedUpTo, oldest } = totals
  const page: JournalPage = {
    from,
    upTo,
    facts,
    records,
    attempts,
    outcomes,
    totals: added ?? [],
    changes: changes.map(({ change, after }) => ({ ...change, after: after ?? 0 })),
    ...(foldedUpTo > from.n && { base: { upTo: foldedUpTo, totals: base ?? [] } }),
  }
  return { page, oldest }
}

interface TotalsRow {
  readonly foldedUpTo: number
  readonly base: readonly MirroredTotal[] | null
  readonly added: readonly MirroredTotal[] | null
  /** Lowest number of the journal. */
  readonly oldest: number | null
}

const FACTS = 'SELECT n, at, kind, seq FROM waystation.journal WHERE n > $1 AND n <= $2 ORDER BY n'
const RECORDS = `SELECT seq, receipt, received_at AS "receivedAt", endpoint, project, public_key AS "publicKey", stamp, facts,
    quantities, reported_limits AS "reportedLimits", bytes, deflated, checksum, body, status, stored_bytes AS "storedBytes"
  FROM waystation.records WHERE seq > $1 AND seq <= $2 ORDER BY seq`
const ATTEMPTS = `SELECT a.n, a.attempt, a.became_dead AS "becameDead"
  FROM waystation.journal j JOIN waystation.attempts a ON a.seq = j.seq AND a.n = j.n
  WHERE j.n > $1 AND j.n <= $2 AND j.kind = 'delivered' ORDER BY a.n`
const OUTCOMES = `SELECT o.seq, o.item, o.outcome, o.reason, o.at
  FROM waystation.journal j JOIN waystation.outcomes o ON o.seq = j.seq
  WHERE j.n > $1 AND j.n <= $2 AND j.kind = 'decided' ORDER BY j.n, o.item`
// One statement has one snapshot: a change that moves to the sums meanwhile is counted once. A mirror begins the totals of a
// stamp with the first record or discard that it counts, so these come first.
const TOTALS = `WITH folded AS (SELECT coalesce((SELECT value FROM waystation.counters WHERE name = 'folded_up_to'), 0) AS n)
  SELECT n AS "foldedUpTo",
    CASE WHEN n > $1 THEN (SELECT json_agg(json_build_object('stamp', NULL, 'journal', 0, 'category', category,
        'entry', entry, 'reason', reason, 'quantity', quantity, 'items', items)) FROM waystation.ledger_totals) END AS base,
    (SELECT json_agg(json_build_object('stamp', stamp, 'journal', journal, 'category', category, 'entry', entry,
        'reason', reason, 'quantity', quantity, 'items', items)
        ORDER BY t.n, journal, entry NOT IN ('received', '${DISCARDED}'))
      FROM waystation.totals_added t WHERE t.n > greatest($1, folded.n) AND t.n <= $2) AS added,
    (SELECT j.n FROM waystation.journal j ORDER BY j.n LIMIT 1) AS oldest
  FROM folded`
const CHANGES = `SELECT change, (SELECT max(c.last) FROM waystation.commits c WHERE c.last < x.n) AS after
  FROM waystation.changes x WHERE n > $1 AND n <= $2 ORDER BY n, ordinal`

/** Facts after a number, without the rows that mirrors need of them. None that is older can appear later. */
export async function readFacts(
  connection: StoreConnection,
  after: number,
  limit: number,
): Promise<readonly JournalFact[]> {
  return connection.query<JournalFact>({
    name: 'facts',
    text: 'SELECT n, at, kind, seq FROM waystation.journal WHERE n > $1 ORDER BY n LIMIT $2',
    values: [after, limit],
  })
}
