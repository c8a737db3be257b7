import type { StoreConnection } from '../connection'
import { HELD_BY, heldBy, type TaskLease } from './task-lease'

/** Receipts, batch ids and single changes of totals are kept this long. */
export const KEPT_MS = 48 * 60 * 60 * 1000
/** Running time that is added at once, at most: a computer that slept did not run. */
const LONGEST_RUN_MS = 60_000
/** Rows of one deletion, so that no append waits long for the disk. */
const BATCH_ROWS = 5000
/** Deletions of one run, at most; the next run continues. */
const MAX_BATCHES = 50

/**
 * Adds to the running time of the store, by which pending records expire.
 * @param lease of the housekeeping: a former holder adds nothing, so no time is added twice
 * @param elapsedMs monotonic time since the last call
 */
export async function advanceRunningTime(
  connection: StoreConnection,
  lease: TaskLease,
  elapsedMs: number,
): Promise<void> {
  await connection.query({
    name: 'advance_running_time',
    text: `UPDATE waystation.counters SET value = value + $4 WHERE name = 'ran_ms'
      AND EXISTS (SELECT FROM waystation.lanes WHERE ${HELD_BY})`,
    values: [...heldBy(lease), Math.round(Math.min(Math.max(0, elapsedMs), LONGEST_RUN_MS))],
  })
}

/** Deletes receipts that are older than 48 h. @param now ms since the epoch */
export const deleteReceipts = (connection: StoreConnection, now: number): Promise<void> =>
  deleteAll(connection, {
    name: 'delete_receipts',
    text: `WITH gone AS (DELETE FROM waystation.receipts WHERE receipt = ANY (ARRAY(
        SELECT receipt FROM waystation.receipts WHERE at < $1 ORDER BY at LIMIT ${BATCH_ROWS})) RETURNING 1)
      SELECT count(*) AS gone FROM gone`,
    values: [now - KEPT_MS],
  })

/**
 * The first batch of the last 48 h, by its last number. Batches before it are old: their numbers have no gap, although
 * clocks of collectors differ. A time in the far future is that of a wrong clock.
 */
const FIRST_YOUNG = 'SELECT min(last) AS last FROM waystation.commits WHERE at >= $1 AND at <= $2'
const timesOf = (now: number): readonly number[] => [now - KEPT_MS, now + KEPT_MS]

/** Deletes batch ids that are older than 48 h. The newest stays: the next number follows its last. @param now as above */
export const deleteCommits = (connection: StoreConnection, now: number): Promise<void> =>
  deleteAll(connection, {
    name: 'delete_commits',
    text: `WITH gone AS (DELETE FROM waystation.commits WHERE last = ANY (ARRAY(
        SELECT last FROM waystation.commits
        WHERE last < coalesce((${FIRST_YOUNG}), (SELECT max(last) FROM waystation.commits))
        ORDER BY last LIMIT ${BATCH_ROWS})) RETURNING 1)
      SELECT count(*) AS gone FROM gone`,
    values: timesOf(now),
  })

/** Deletes changes whose facts were dropped: no mirror can read them. @param oldest lowest number of the journal */
export const deleteChanges = (connection: StoreConnection, oldest: number): Promise<void> =>
  deleteAll(connection, {
    name: 'delete_changes',
    text: `WITH gone AS (DELETE FROM waystation.changes WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM waystation.changes WHERE n < $1 ORDER BY n LIMIT ${BATCH_ROWS})) RETURNING 1)
      SELECT count(*) AS gone FROM gone`,
    values: [oldest],
  })

async function deleteAll(
  connection: StoreConnection,
  query: { readonly name: string; readonly text: string; readonly values: readonly number[] },
): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    const [row] = await connection.query<{ readonly gone: number }>({ ...query, values: [...query.values] })
    if ((row?.gone ?? 0) < BATCH_ROWS) return
  }
}

/** Notes that a collector runs. */
export async function noteSeen(connection: StoreConnection, collector: number): Promise<void> {
  await connection.query({
    name: 'note_seen',
    text: 'UPDATE waystation.collectors SET seen_at = clock_timestamp() WHERE id = $1',
    values: [collector],
  })
}

/** Deletes collectors that were not seen for a day and own no lane. */
export async function deleteCollectors(connection: StoreConnection): Promise<void> {
  await connection.query({
    name: 'delete_collectors',
    text: `DELETE FROM waystation.collectors c WHERE seen_at < clock_timestamp() - interval '1 day'
      AND NOT EXISTS (SELECT FROM waystation.lanes l WHERE abs(l.owner) = c.id)`,
    values: [],
  })
}

/** Deletes limits that ended. @param now ms since the epoch */
export async function deleteLimits(connection: StoreConnection, now: number): Promise<void> {
  await connection.query({
    name: 'delete_limits',
    text: 'DELETE FROM waystation.limits WHERE until <= $1',
    values: [now],
  })
}

/**
 * Adds changes of the totals that are older than 48 h to `ledger_totals` and deletes them, in one transaction with the
 * number up to which that was done. Totals of single stamps end with it. @param now ms since the epoch
 */
export async function foldTotals(connection: StoreConnection, now: number): Promise<void> {
  await deleteAll(connection, { name: 'fold_totals', text: FOLD_TOTALS, values: timesOf(now) })
}

// One statement is one transaction with one snapshot. All changes of a number are folded together.
const FOLD_TOTALS = `WITH young AS (${FIRST_YOUNG}),
    aged AS (SELECT max(c.last) AS n FROM waystation.commits c, young WHERE young.last IS NULL OR c.last < young.last),
    cut AS (SELECT n FROM waystation.totals_added ORDER BY n OFFSET ${BATCH_ROWS} LIMIT 1),
    bound AS (SELECT least(aged.n, (SELECT n FROM cut)) AS n FROM aged WHERE aged.n IS NOT NULL),
    gone AS (DELETE FROM waystation.totals_added t USING bound WHERE t.n <= bound.n
      RETURNING t.category, t.entry, t.reason, t.quantity, t.items),
    added AS (INSERT INTO waystation.ledger_totals AS known
      SELECT category, entry, reason, sum(quantity), sum(items) FROM gone
        GROUP BY category, entry, reason ORDER BY category, entry, reason
      ON CONFLICT (category, entry, reason) DO UPDATE
        SET quantity = known.quantity + excluded.quantity, items = known.items + excluded.items),
    noted AS (INSERT INTO waystation.counters AS known SELECT 'folded_up_to', n FROM bound
      ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE excluded.value > known.value)
  SELECT count(*) AS gone FROM gone`

/** Sums the quantities of client reports to come, and removes those that are zero. */
export async function sumUnreported(connection: StoreConnection): Promise<void> {
  await connection.query({
    name: 'sum_unreported',
    text: `WITH sums AS (SELECT public_key, project, reason, category FROM waystation.unreported
        GROUP BY public_key, project, reason, category HAVING count(*) > 1 OR sum(quantity) = 0),
      gone AS (DELETE FROM waystation.unreported u USING sums s
        WHERE (u.public_key, u.project, u.reason, u.category) = (s.public_key, s.project, s.reason, s.category)
        RETURNING u.*)
      INSERT INTO waystation.unreported SELECT public_key, project, reason, category, sum(quantity) FROM gone
        GROUP BY public_key, project, reason, category HAVING sum(quantity) <> 0`,
    values: [],
  })
}
