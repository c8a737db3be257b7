import { type Decision, EVERY_ITEM } from '../../spool/submission'
import type { Write } from '../batch'
import type { Answer } from '../batch-writer'
import type { StoreConnection } from '../connection'
import { dropContents, dropPartition, listPartitions, type Partition } from './drop-partitions'

/** Records that one batch ends: other batches wait meanwhile. */
const BATCH_RECORDS = 500
/** Batches of one call, at most; the next call continues. */
const MAX_BATCHES = 40

export interface RetentionTools {
  readonly connection: StoreConnection
  /** Writes outcomes and totals as for any other decision. */
  readonly write: (write: Write) => Promise<Answer>
  /** Running time after which a pending record that is in the way expires. */
  readonly expiresAfterMs: number
}

/**
 * `blocked`: it has records that are pending or dead letters, so it stays. `ended`: this call ended some of its records, and
 * a later one drops it: until then followers can read their outcomes.
 */
export type DropResult =
  | { readonly result: 'dropped'; readonly partition: Partition }
  | { readonly result: 'blocked'; readonly partition: Partition; readonly records: number }
  | { readonly result: 'ended' }
  | { readonly result: 'none' }

/** Bytes on disk of the whole database, with indexes and free space inside of tables. */
export async function readSize(connection: StoreConnection): Promise<number> {
  const [row] = await connection.query<{ readonly bytes: number }>({
    name: 'size',
    text: 'SELECT pg_database_size(current_database()) AS bytes',
    values: [],
  })
  if (row === undefined) throw new Error(`PostgreSQL at ${connection.place} reports no size of the database`)
  return row.bytes
}

/** Drops the oldest partition, unless it is the newest. @throws as `dropPartition` */
export async function dropOldest(tools: RetentionTools): Promise<DropResult> {
  const [oldest] = await listPartitions(tools.connection)
  if (oldest === undefined || oldest.isNewest) return { result: 'none' }
  return dropWhenSettled(tools, oldest)
}

/**
 * Drops the contents of the next partition that has nothing pending. Call it when the oldest one is blocked: the facts
 * stay, because the numbers that followers read have no gap. @throws as `dropPartition`
 */
export async function dropNextContents(tools: RetentionTools): Promise<DropResult> {
  const [, ...later] = await listPartitions(tools.connection)
  for (const partition of later.filter(({ isNewest, contents }) => !isNewest && contents > 0)) {
    const dropped = await dropWhenSettled(tools, partition, dropContents)
    if (dropped.result !== 'blocked') return dropped
  }
  return { result: 'none' }
}

/**
 * Drops the oldest partition if all its records were received before a time. One that was received in the future, by a
 * wrong clock, keeps it. @param before ms since the epoch @throws as `dropPartition`
 */
export async function dropAged(tools: RetentionTools, before: number): Promise<DropResult> {
  const { connection } = tools
  const [oldest] = await listPartitions(connection)
  if (oldest === undefined || oldest.isNewest) return { result: 'none' }
  const { first, last } = oldest
  const [fact] = await connection.query<{ readonly at: number }>({
    name: 'last_fact_of_partition',
    text: 'SELECT at FROM waystation.journal WHERE n BETWEEN $1 AND $2 ORDER BY n DESC LIMIT 1',
    values: [first, last],
  })
  // The scan of the records is needed only once they are about to go.
  if (fact !== undefined && fact.at >= before) return { result: 'none' }
  const [young] = await connection.query<{ readonly seq: number }>({
    text: 'SELECT seq FROM waystation.records WHERE seq BETWEEN $1 AND $2 AND received_at >= $3 LIMIT 1',
    values: [first, last, before],
  })
  return young === undefined ? dropWhenSettled(tools, oldest) : { result: 'none' }
}

/**
 * Ends the pending records and the dead letters of a partition, or drops it if it has none. Ends none while a record is
 * pending that did not expire: that one would keep the partition.
 */
async function dropWhenSettled(
  tools: RetentionTools,
  partition: Partition,
  drop: typeof dropPartition = dropPartition,
): Promise<DropResult> {
  const { connection, expiresAfterMs } = tools
  const range = [partition.first, partition.last]
  const [blocking] = await connection.query<{ readonly records: number }>({
    name: 'count_blocking',
    text: `SELECT count(*) AS records FROM waystation.pending_deliveries WHERE seq BETWEEN $1 AND $2 AND NOT ${IS_EXPIRED}`,
    values: [...range, expiresAfterMs],
  })
  if (blocking !== undefined && blocking.records > 0) return { result: 'blocked', partition, records: blocking.records }
  const ended = (await endAll(tools, 'pending', range)) + (await endAll(tools, 'dead', range))
  if (ended > 0) return { result: 'ended' }
  const left = await countUnsettled(connection, range)
  if (left > 0) return { result: 'blocked', partition, records: left }
  await drop(connection, partition.p)
  return { result: 'dropped', partition }
}

/** @returns the number of records that were there */
async function endAll(
  { connection, write, expiresAfterMs }: RetentionTools,
  from: 'pending' | 'dead',
  range: readonly number[],
): Promise<number> {
  let ended = 0
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    const rows = await connection.query<{ readonly seq: number; readonly status: number | null }>({
      name: `next_${from}`,
      text: from === 'pending' ? EXPIRED : DEAD,
      values: from === 'pending' ? [...range, expiresAfterMs] : [...range],
    })
    if (rows.length === 0) break
    ended += rows.length
    await write({ kind: 'end', from, ended: rows.map(({ seq, status }) => ({ seq, decision: decisionFor(status) })) })
  }
  return ended
}

const IS_EXPIRED = `ran_ms <= (SELECT value FROM waystation.counters WHERE name = 'ran_ms') - $3`
// A person may make a dead letter pending meanwhile, and that one may have time left.
const EXPIRED = `SELECT seq, NULL AS status FROM waystation.pending_deliveries WHERE seq BETWEEN $1 AND $2 AND ${IS_EXPIRED}
  ORDER BY seq LIMIT ${BATCH_RECORDS}`
const DEAD = `SELECT seq, status FROM waystation.dead_letters WHERE seq BETWEEN $1 AND $2 ORDER BY seq LIMIT ${BATCH_RECORDS}`

const decisionFor = (status: number | null): NonNullable<Decision> =>
  status === null
    ? [{ item: EVERY_ITEM, outcome: 'expired', reason: 'undelivered_for_24_h' }]
    : [{ item: EVERY_ITEM, outcome: 'invalid', reason: `upstream_${status}` }]

/** One statement, so a dead letter that becomes pending is counted in one of the tables. */
async function countUnsettled(connection: StoreConnection, range: readonly number[]): Promise<number> {
  const [row] = await connection.query<{ readonly records: number }>({
    name: 'count_unsettled',
    text: `SELECT (SELECT count(*) FROM waystation.pending_deliveries WHERE seq BETWEEN $1 AND $2)
      + (SELECT count(*) FROM waystation.dead_letters WHERE seq BETWEEN $1 AND $2) AS records`,
    values: [...range],
  })
  return row?.records ?? 0
}
