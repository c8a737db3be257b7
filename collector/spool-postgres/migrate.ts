import type { StoreConnection } from './connection'
import { MIGRATIONS } from './schema'

/** Any number: the lock under which one collector migrates, and others wait. */
const MIGRATION_LOCK = 7_271_960_131

/** The server or its schema cannot hold the record. The message says why, and what to do. */
export class UnfitStoreError extends Error {
  static readonly NAME = 'UnfitStoreError'

  constructor(message: string) {
    super(message)
    this.name = UnfitStoreError.NAME
  }
}

const OLDEST_SERVER = 140_000

/** Numbers of one partition of the large tables, in a schema that is created now. */
const PARTITION_NUMBERS = 2 ** 18

/**
 * Refuses a server that may lose what it has acknowledged.
 * @param allowWeak `WAYSTATION_STORE_WEAK`: durability settings are the operator's choice. @throws UnfitStoreError
 */
export async function checkServer(connection: StoreConnection, allowWeak: boolean): Promise<void> {
  const [found] = await connection.query<{ readonly [name: string]: string }>({
    text: `SELECT current_setting('server_version_num') AS version, current_setting('server_version') AS "versionName",
      pg_is_in_recovery()::text AS standby, current_setting('fsync') AS fsync,
      current_setting('synchronous_commit') AS synchronous_commit, current_setting('full_page_writes') AS full_page_writes`,
  })
  if (found === undefined) throw new UnfitStoreError(`PostgreSQL at ${connection.place} answers nothing about itself`)
  if (Number(found.version) < OLDEST_SERVER)
    throw new UnfitStoreError(
      `PostgreSQL at ${connection.place} is version ${found.versionName}; 14 and newer can hold the record`,
    )
  if (found.standby === 'true')
    throw new UnfitStoreError(`PostgreSQL at ${connection.place} is a standby: name the primary in WAYSTATION_STORE`)
  if (allowWeak) return
  const weak = WEAK.filter(([name, values]) => values.includes(found[name] ?? '')).map(
    ([name]) => `${name}=${found[name]}`,
  )
  if (weak.length > 0)
    throw new UnfitStoreError(
      `PostgreSQL at ${connection.place} has ${weak.join(' and ')}, so it may lose what it has acknowledged: set ${weak.length > 1 ? 'them' : 'it'} to on, or accept the loss with WAYSTATION_STORE_WEAK=1`,
    )
}

const WEAK: readonly (readonly [string, readonly string[]])[] = [
  ['fsync', ['off']],
  ['full_page_writes', ['off']],
  ['synchronous_commit', ['off', 'local', 'remote_write']],
]

/**
 * Brings the schema to this version. Collectors that start at the same time do it one after the other.
 * @param partitionNumbers of a schema that this call creates; an existing one keeps its own
 * @throws UnfitStoreError when a newer version wrote it, or the role may not create it
 */
export async function migrate(connection: StoreConnection, partitionNumbers = PARTITION_NUMBERS): Promise<void> {
  const found = await versionOf(connection)
  if (found > MIGRATIONS.length)
    throw new UnfitStoreError(
      `the schema waystation at ${connection.place} has version ${found}, but this Waystation knows ${MIGRATIONS.length}: use the newer one`,
    )
  if (found === MIGRATIONS.length) return
  try {
    // One query of several statements is one transaction.
    await connection.query({ text: statements(partitionNumbers) })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === INSUFFICIENT_PRIVILEGE)
      throw new UnfitStoreError(
        `the role of WAYSTATION_STORE may not create the schema waystation at ${connection.place} (${error.message}): GRANT CREATE ON DATABASE to it, or CREATE SCHEMA waystation AUTHORIZATION it`,
      )
    throw error
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

async function versionOf(connection: StoreConnection): Promise<number> {
  const [exists] = await connection.query<{ readonly exists: boolean }>({
    text: `SELECT to_regclass('waystation.versions') IS NOT NULL AS exists`,
  })
  if (!exists?.exists) return 0
  const [row] = await connection.query<{ readonly version: number }>({
    text: 'SELECT coalesce(max(version), 0) AS version FROM waystation.versions',
  })
  return row?.version ?? 0
}

/** Each migration runs only if it is missing once this collector has the lock. */
const statements = (partitionNumbers: number): string => `
  BEGIN;
  SELECT pg_advisory_xact_lock(${MIGRATION_LOCK}), set_config('waystation.partition_numbers', '${partitionNumbers}', true);
  DO $migrate$ BEGIN
    IF to_regnamespace('waystation') IS NULL THEN CREATE SCHEMA waystation; END IF;
    IF to_regclass('waystation.versions') IS NULL THEN
      CREATE TABLE waystation.versions (version int4 PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
    END IF;
  END $migrate$;
  ${MIGRATIONS.map(
    (migration, at) => `
  DO $migrate$ BEGIN
    IF NOT EXISTS (SELECT FROM waystation.versions WHERE version = ${at + 1}) THEN
      EXECUTE $statements$${migration}$statements$;
      INSERT INTO waystation.versions (version) VALUES (${at + 1});
    END IF;
  END $migrate$;`,
  ).join('\n')}
  COMMIT;`

/** Makes the partitions of the newest number and of the two ranges after it. */
export async function addPartitions(connection: StoreConnection): Promise<void> {
  await connection.query({
    text: `SELECT waystation.add_partition(newest.p + ahead)
      FROM (SELECT (SELECT coalesce(max(last), 0) FROM waystation.commits) / value AS p
          FROM waystation.counters WHERE name = 'partition_numbers') newest, generate_series(0, 2) AS ahead`,
  })
}
