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
 * Migrations that a collector of the version before them cannot work with. All others only add: tables, columns with a
 * default, functions, and bodies of functions that keep their arguments. So collectors of two versions share a record, and
 * can be replaced one after the other.
 */
const BREAKING: readonly number[] = []

/** The oldest version of a collector that works with a schema. */
const worksFrom = (version: number): number => (BREAKING.includes(version) ? version : Math.max(1, version - 1))

/**
 * Brings the schema to this version. Collectors that start at the same time do it one after the other.
 * @param partitionNumbers of a schema that this call creates; an existing one keeps its own
 * @throws UnfitStoreError when it is too new for this version, or the role may not create or read it
 */
export async function migrate(connection: StoreConnection, partitionNumbers = PARTITION_NUMBERS): Promise<void> {
  try {
    const found = await versionOf(connection)
    if (found.version > MIGRATIONS.length && found.worksFrom > MIGRATIONS.length)
      throw new UnfitStoreError(
        `the schema waystation at ${connection.place} has version ${found.version}, which works with collectors of version ${found.worksFrom} and newer, but this one has version ${MIGRATIONS.length}: use a newer Waystation`,
      )
    // One query of several statements is one transaction.
    if (found.version < MIGRATIONS.length) await connection.query({ text: statements(partitionNumbers) })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === INSUFFICIENT_PRIVILEGE)
      throw new UnfitStoreError(
        `the role of WAYSTATION_STORE has too few rights for the schema waystation at ${connection.place} (${error.message}): let it own the schema, or start a collector whose role owns it and then GRANT the rights that docs/operate.md lists`,
      )
    throw error
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

interface FoundVersion {
  /** 0 without a schema. */
  readonly version: number
  /** The oldest version of a collector that works with it. */
  readonly worksFrom: number
}

async function versionOf(connection: StoreConnection): Promise<FoundVersion> {
  const none = { version: 0, worksFrom: 0 }
  const [exists] = await connection.query<{ readonly exists: boolean }>({
    text: `SELECT to_regclass('waystation.versions') IS NOT NULL AS exists`,
  })
  if (!exists?.exists) return none
  const [row] = await connection.query<FoundVersion>({
    text: `SELECT version, works_from AS "worksFrom" FROM waystation.versions ORDER BY version DESC LIMIT 1`,
  })
  return row ?? none
}

/** Each migration runs only if it is missing once this collector has the lock. */
const statements = (partitionNumbers: number): string => `
  BEGIN;
  SELECT pg_advisory_xact_lock(${MIGRATION_LOCK}), set_config('waystation.partition_numbers', '${partitionNumbers}', true);
  DO $migrate$ BEGIN
    IF to_regnamespace('waystation') IS NULL THEN CREATE SCHEMA waystation; END IF;
    IF to_regclass('waystation.versions') IS NULL THEN
      -- works_from: the oldest version of a collector that works with it.
      CREATE TABLE waystation.versions (
        version int4 PRIMARY KEY, works_from int4 NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
      );
    END IF;
  END $migrate$;
  ${MIGRATIONS.map(
    (migration, at) => `
  DO $migrate$ BEGIN
    IF NOT EXISTS (SELECT FROM waystation.versions WHERE version = ${at + 1}) THEN
      EXECUTE $statements$${migration}$statements$;
      INSERT INTO waystation.versions (version, works_from) VALUES (${at + 1}, ${worksFrom(at + 1)});
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
