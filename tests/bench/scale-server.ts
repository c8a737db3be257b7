import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCluster } from '../store/cluster'
import { createDatabase, dropDatabases, withClient } from '../store/databases'

/** The PostgreSQL of a benchmark. */
export interface BenchServer {
  /** `null` for a server that the benchmark did not start. */
  readonly pid: number | null
  readonly version: string
  /** Those that decide about syncs and memory, for the report. */
  readonly settings: string
  readonly newDatabase: () => Promise<string>
  readonly dropDatabases: () => Promise<void>
  readonly end: () => Promise<void>
}

const NAMES = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size']

/**
 * Starts a PostgreSQL with its usual settings on the disk of the benchmark, which collectors reach over TCP.
 * `WAYSTATION_TEST_POSTGRES` names one to use instead. @throws where this machine can run none
 */
export async function startServer(folder: string): Promise<BenchServer> {
  const given = process.env.WAYSTATION_TEST_POSTGRES
  if (given !== undefined && given !== '') return serverAt(given, null, async () => undefined)
  const cluster = await createCluster(folder)
  if ('why' in cluster) throw new Error(`${cluster.why}: set WAYSTATION_TEST_POSTGRES to use a server`)
  // The path of a socket has 107 bytes at most.
  await cluster.start({ unix_socket_directories: '' })
  const pid = Number(readFileSync(join(cluster.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  return serverAt(cluster.url(), pid, cluster.remove)
}

async function serverAt(url: string, pid: number | null, end: () => Promise<void>): Promise<BenchServer> {
  const rows = await withClient(url, async (client) => {
    const found = await client.query<{ readonly name: string; readonly value: string }>(
      `SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY ($1)`,
      [[...NAMES, 'server_version']],
    )
    return found.rows
  })
  const settingOf = (name: string): string => rows.find((row) => row.name === name)?.value ?? 'unknown'
  return {
    pid,
    version: `PostgreSQL ${settingOf('server_version')}`,
    settings: NAMES.map((name) => `${name}=${settingOf(name)}`).join(' '),
    newDatabase: () => createDatabase(url),
    dropDatabases: () => dropDatabases(url),
    end: async () => {
      await dropDatabases(url)
      await end()
    },
  }
}
