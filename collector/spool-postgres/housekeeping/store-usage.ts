import { keyPrefix } from '../../../lib/protocol/dsn'
import type { StoreLane, StorePartition, StoreUsage } from '../../../lib/wire/store'
import type { StoreConnection } from '../connection'
import { PARTITIONED } from '../schema'
import { listPartitions, type Partition } from './drop-partitions'
import { DROP_AT, type RetentionOptions } from './housekeeping'
import { readSize } from './retention'

/** Partitions, lanes and collectors that are described one by one; the others are counted. */
const MOST_PARTITIONS = 10
const MOST_LANES = 200
const MOST_COLLECTORS = 50

interface UsageOptions extends RetentionOptions {
  /** Id of this collector in the store. */
  readonly collector: number
  /** Ms since the epoch. */
  readonly now: () => number
}

/**
 * Measures the database, and reads who works on it: a few short statements, one after the other, on a connection that no
 * write and no read of the relay waits for. The size is that of the whole database, as the budget counts it.
 * @throws StoreAwayError, or an error of the server, for example while a partition is dropped
 */
export async function readUsage(connection: StoreConnection, options: UsageOptions): Promise<StoreUsage> {
  const { budgetBytes, collector, now } = options
  const dropsAt = budgetBytes === null ? null : budgetBytes * DROP_AT
  const bytes = await readSize(connection)
  const all = await listPartitions(connection)
  const sizes = await readSizes(connection)
  const shown = all.slice(0, MOST_PARTITIONS)
  const times = await readTimes(
    connection,
    shown.filter(({ isWhole }) => isWhole),
  )
  const oldest = shown.map((partition, at): StorePartition => {
    const { oldestAt, newestAt, isHeld } = times.get(partition.p) ?? { oldestAt: null, newestAt: null, isHeld: false }
    const isFirstOfFull = at === 0 && dropsAt !== null && bytes >= dropsAt
    const isTooOld = options.maxAgeMs !== null && newestAt !== null && newestAt < now() - options.maxAgeMs
    return {
      first: partition.first,
      last: partition.last,
      bytes: sizes.get(partition.p) ?? 0,
      oldestAt,
      newestAt,
      state: stateOf(partition, isFirstOfFull || isTooOld, isHeld),
    }
  })
  return {
    measuredAt: now(),
    bytes,
    budgetBytes,
    dropsAt,
    partitions: {
      count: all.length,
      first: all[0]?.first ?? 0,
      last: all.at(-1)?.last ?? 0,
      bytes: [...sizes.values()].reduce((sum, one) => sum + one, 0),
      oldestAt: oldest.find(({ oldestAt }) => oldestAt !== null)?.oldestAt ?? null,
      waiting: oldest.filter(({ state }) => state !== 'newest' && state !== 'kept' && state !== 'emptied').length,
      oldest,
    },
    collectors: await readCollectors(connection, collector),
    lanes: await readLanes(connection, collector),
  }
}

function stateOf(partition: Partition, isDue: boolean, isHeld: boolean): StorePartition['state'] {
  const { isNewest, isWhole, hasFacts, contents } = partition
  if (isNewest) return 'newest'
  if (hasFacts && contents === 0) return 'emptied'
  if (!isWhole) return 'dropping'
  if (!isDue) return 'kept'
  return isHeld ? 'held' : 'due'
}

/** Bytes of each partition, of all its tables with their indexes. */
async function readSizes(connection: StoreConnection): Promise<ReadonlyMap<number, number>> {
  const rows = await connection.query<{ readonly p: number; readonly bytes: number | null }>({
    name: 'partition_sizes',
    text: `SELECT substring(relname FROM '[0-9]+$')::int8 AS p, sum(pg_total_relation_size(oid))::int8 AS bytes
      FROM pg_catalog.pg_class WHERE relnamespace = 'waystation'::regnamespace AND relkind = 'r'
        AND relname ~ '^(${PARTITIONED.join('|')})_[0-9]+$'
      GROUP BY 1`,
    values: [],
  })
  return new Map(rows.map(({ p, bytes }) => [p, bytes ?? 0]))
}

interface PartitionTimes {
  readonly p: number
  readonly oldestAt: number | null
  readonly newestAt: number | null
  readonly isHeld: boolean
}

/** Reads the tables of each partition by name: a query of the whole would lock all of them. */
async function readTimes(
  connection: StoreConnection,
  partitions: readonly Partition[],
): Promise<ReadonlyMap<number, PartitionTimes>> {
  if (partitions.length === 0) return new Map()
  const isHeld = (table: string, { first, last }: Partition): string =>
    `EXISTS (SELECT FROM waystation.${table} WHERE seq BETWEEN ${first} AND ${last})`
  const rows = await connection.query<PartitionTimes>({
    text: partitions
      .map(
        (one) => `SELECT ${one.p}::int8 AS p,
          (SELECT received_at FROM waystation.records_${one.p} ORDER BY seq LIMIT 1) AS "oldestAt",
          (SELECT at FROM waystation.journal_${one.p} ORDER BY n DESC LIMIT 1) AS "newestAt",
          ${isHeld('pending_deliveries', one)} OR ${isHeld('dead_letters', one)} AS "isHeld"`,
      )
      .join(' UNION ALL '),
  })
  return new Map(rows.map((row) => [row.p, row]))
}

/** Names are host, process and a random part, which is left out. */
const PEOPLE_NAME = `split_part(c.name, ' ', 1) || ' ' || split_part(c.name, ' ', 2)`

async function readCollectors(connection: StoreConnection, collector: number): Promise<StoreUsage['collectors']> {
  const rows = await connection.query<StoreUsage['collectors']['list'][number] & { readonly count: number }>({
    name: 'list_collectors',
    text: `SELECT trim(${PEOPLE_NAME}) AS name, c.id = $1 AS "isOwn", count(*) OVER () AS count,
        greatest(0, extract(epoch FROM clock_timestamp() - c.seen_at) * 1000)::int8 AS "seenMs",
        EXISTS (SELECT FROM waystation.lanes l
          WHERE l.public_key = '' AND l.owner = -c.id AND l.until > clock_timestamp()) AS "isHousekeeper"
      FROM waystation.collectors c ORDER BY c.seen_at DESC, c.id LIMIT ${MOST_COLLECTORS}`,
    values: [collector],
  })
  return { count: rows[0]?.count ?? 0, list: rows.map(({ count: _, ...one }) => one) }
}

async function readLanes(connection: StoreConnection, collector: number): Promise<StoreLane[]> {
  const rows = await connection.query<Omit<StoreLane, 'key'> & { readonly publicKey: string }>({
    name: 'list_lanes',
    // Leases of tasks have no public key. A lane that was never taken has no time since then.
    text: `SELECT l.public_key AS "publicKey", l.project, l.lane,
        CASE WHEN l.until > now.at THEN trim(${PEOPLE_NAME}) END AS owner,
        coalesce(l.owner = $1 AND l.until > now.at, false) AS "isOwn",
        CASE WHEN l.owner IS NOT NULL AND l.until > now.at THEN (extract(epoch FROM l.until - now.at) * 1000)::int8 END AS "leaseMs",
        CASE WHEN l.until <= now.at AND l.until <> '-infinity' THEN (extract(epoch FROM now.at - l.until) * 1000)::int8 END AS "freeMs"
      FROM waystation.lanes l CROSS JOIN (SELECT clock_timestamp() AS at) AS now
        LEFT JOIN waystation.collectors c ON c.id = l.owner
      WHERE l.public_key <> '' ORDER BY l.public_key, l.project, l.lane LIMIT ${MOST_LANES}`,
    values: [collector],
  })
  return rows.map(({ publicKey, ...lane }) => ({ key: keyPrefix(publicKey), ...lane }))
}

/** Facts of the store after the newest one of a mirror. */
export interface StorePosition {
  /** Number of the newest fact of the store. */
  readonly head: number
  /** When the batch with the first fact after it was stored, in ms since the epoch; `null` when there is none. */
  readonly missingSince: number | null
}

/**
 * Compares a mirror with the store. Times of batches are kept for 48 h: behind by more, the answer is the oldest of them.
 * @param mirrored number of the newest fact of the mirror @throws StoreAwayError
 */
export async function readPosition(connection: StoreConnection, mirrored: number): Promise<StorePosition> {
  const [row] = await connection.query<StorePosition>({
    name: 'position',
    text: `SELECT coalesce((SELECT max(last) FROM waystation.commits), 0) AS head,
      (SELECT at FROM waystation.commits WHERE last > $1 ORDER BY last LIMIT 1) AS "missingSince"`,
    values: [mirrored],
  })
  return row ?? { head: 0, missingSince: null }
}
