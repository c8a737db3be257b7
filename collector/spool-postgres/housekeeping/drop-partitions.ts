import type { StoreConnection } from '../connection'
import { PARTITIONED } from '../schema'

/** One range of numbers of the large tables. */
export interface Partition {
  readonly p: number
  readonly first: number
  readonly last: number
  /** Has the newest number or later ones, so it is never dropped. */
  readonly isNewest: boolean
  /** Its facts are there. If not, dropping it was interrupted. */
  readonly hasFacts: boolean
  /** How many of the tables of its contents are there: none after `dropContents`. */
  readonly contents: number
  /** All tables have it. */
  readonly isWhole: boolean
}

interface PartitionRow {
  readonly p: number
  readonly first: number
  readonly last: number
  readonly isNewest: boolean
  readonly facts: number
  readonly contents: number
}

/** The ranges of numbers that have tables, oldest first. */
export async function listPartitions(connection: StoreConnection): Promise<readonly Partition[]> {
  const rows = await connection.query<PartitionRow>({
    name: 'list_partitions',
    text: `WITH sizes AS (SELECT value AS numbers, (SELECT coalesce(max(last), 0) FROM waystation.commits) AS head
        FROM waystation.counters WHERE name = 'partition_numbers'),
      tables AS (SELECT substring(c.relname FROM '[0-9]+$')::int8 AS p, c.relname LIKE 'journal%' AS facts, i.inhrelid IS NOT NULL AND NOT i.inhdetachpending AS attached
        FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_inherits i ON i.inhrelid = c.oid
        WHERE c.relnamespace = 'waystation'::regnamespace AND c.relkind = 'r'
          AND c.relname ~ '^(${PARTITIONED.join('|')})_[0-9]+$')
    SELECT p, p * numbers AS first, (p + 1) * numbers - 1 AS last, (p + 1) * numbers > head AS "isNewest",
      count(*) FILTER (WHERE attached AND facts)::int4 AS facts, count(*) FILTER (WHERE attached AND NOT facts)::int4 AS contents
    FROM tables, sizes GROUP BY p, numbers, head ORDER BY p`,
    values: [],
  })
  return rows.map(({ facts, ...row }) => {
    const hasFacts = facts > 0
    return { ...row, hasFacts, isWhole: hasFacts && row.contents === CONTENTS.length }
  })
}

/** Whether the role of this connection may drop partitions: it owns the tables, or is a member of a role that does. */
export async function mayDrop(connection: StoreConnection): Promise<boolean> {
  const [row] = await connection.query<{ readonly isOwner: boolean }>({
    text: `SELECT pg_has_role(relowner, 'USAGE') AS "isOwner" FROM pg_catalog.pg_class
      WHERE oid = 'waystation.records'::regclass`,
  })
  return row?.isOwner ?? false
}

interface TableState {
  /** Of the table that has the partition; `null` when it is detached. */
  readonly isPending: boolean | null
}

/**
 * Drops one range of numbers. `DROP TABLE` alone, or a plain `DETACH`, waits for readers under a lock for which all appends
 * wait. `DETACH … CONCURRENTLY` does not, but it waits until the readers of the table end.
 *
 * Call it again after an error: it continues at the step that failed.
 * @throws the server's error 55P03 or 57014 while a reader is older than the detach
 */
export const dropPartition = (connection: StoreConnection, p: number): Promise<void> =>
  dropTables(connection, p, PARTITIONED)

const CONTENTS = PARTITIONED.filter((table) => table !== 'journal')

/** As `dropPartition`, but keeps the facts, which have no gap. Their records are missing, as those that were deleted. */
export const dropContents = (connection: StoreConnection, p: number): Promise<void> =>
  dropTables(connection, p, CONTENTS)

async function dropTables(connection: StoreConnection, p: number, tables: readonly string[]): Promise<void> {
  if (!Number.isSafeInteger(p) || p < 0) throw new RangeError(`a partition must be a whole number, got ${p}`)
  for (const parent of tables) {
    const table = `waystation.${parent}_${p}`
    const [found] = await connection.query<TableState>({
      name: 'partition_state',
      text: `SELECT i.inhdetachpending AS "isPending"
        FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_inherits i ON i.inhrelid = c.oid WHERE c.oid = to_regclass($1)`,
      values: [table],
    })
    if (found === undefined) continue
    if (found.isPending !== null)
      await connection.query({
        text: `ALTER TABLE waystation.${parent} DETACH PARTITION ${table} ${found.isPending ? 'FINALIZE' : 'CONCURRENTLY'}`,
      })
    await connection.query({ text: `DROP TABLE ${table}` })
  }
}

/** Drops the rest of ranges whose drop was interrupted. @returns those ranges */
export async function finishDrops(connection: StoreConnection): Promise<readonly Partition[]> {
  const all = await listPartitions(connection)
  const interrupted = all.filter(
    ({ hasFacts, contents, isNewest }) => !isNewest && (!hasFacts || (contents > 0 && contents < CONTENTS.length)),
  )
  for (const { p, hasFacts } of interrupted) await (hasFacts ? dropContents : dropPartition)(connection, p)
  return interrupted
}

/** The lowest number of the shared journal; `null` when it is empty. */
export async function readOldest(connection: Pick<StoreConnection, 'query'>): Promise<number | null> {
  const [row] = await connection.query<{ readonly n: number }>({
    name: 'oldest',
    text: 'SELECT n FROM waystation.journal ORDER BY n LIMIT 1',
    values: [],
  })
  return row?.n ?? null
}
