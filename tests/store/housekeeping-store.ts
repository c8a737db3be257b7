import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, inject } from 'vitest'
import { StoreConnection } from '../../collector/spool-postgres/connection'
import type { RetentionOptions } from '../../collector/spool-postgres/housekeeping/housekeeping'
import { openPostgresStore, type PostgresStore } from '../../collector/spool-postgres/store'
import { createDatabase, dropDatabases } from './databases'

export const server = inject('postgres')

/** Ms since the epoch. */
export const NOW = 1_700_000_000_000
export const HOUR_MS = 60 * 60 * 1000

export interface KeptStore extends PostgresStore {
  readonly url: string
  readonly connection: StoreConnection
  /** Both clocks, which only the test moves. */
  readonly clock: { now: number; monotonic: number }
  readonly log: string[]
  /** The first column of each row. */
  readonly column: (text: string) => Promise<readonly unknown[]>
  /** Another collector of the same record. */
  readonly openOther: (name: string, options?: Options) => Promise<KeptStore>
}

interface Options {
  readonly retention?: RetentionOptions
  readonly partitionNumbers?: number
  readonly lanes?: number
}

const open = new Set<{ readonly close: () => Promise<void> }>()

/** A store on a new database, with small partitions and a connection of the test. */
export async function openKeptStore(options: Options = {}): Promise<KeptStore> {
  if ('why' in server) throw new Error(server.why)
  return openOn(await createDatabase(server.url), { now: NOW, monotonic: 0 }, `test-${randomUUID()}`, options)
}

async function openOn(url: string, clock: KeptStore['clock'], name: string, options: Options): Promise<KeptStore> {
  const log: string[] = []
  const connection = new StoreConnection(url)
  const store = await openPostgresStore({
    partitionNumbers: 16,
    ...options,
    url,
    name,
    now: () => clock.now,
    monotonic: () => clock.monotonic,
    log: (line) => log.push(line),
  })
  open.add(connection).add(store)
  return {
    ...store,
    url,
    connection,
    clock,
    log,
    column: async (text) => {
      const rows = await connection.query<Record<string, unknown>>({ text })
      return rows.map((row) => Object.values(row)[0])
    },
    openOther: (other, more = {}) => openOn(url, clock, other, { ...options, ...more }),
  }
}

/** Call it once per test file. */
export function closeKeptStores(): void {
  afterEach(async () => {
    await Promise.all([...open].map((one) => one.close()))
    open.clear()
  })
  afterAll(async () => {
    if ('url' in server) await dropDatabases(server.url)
  })
}
